/** The configuration file that was applied last, and what was changed since then. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ConfigurationDrift } from '#contract/options.ts';
import { errorMessage } from '#web/api/errors.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { optionQueries } from '#web/features/settings/queries.ts';
import classes from './form.module.css';

/** Longer lists belong into `tollgate config diff`. */
const SHOWN_MOST = 20;
const HASH_CHARACTERS = 12;

export function Configuration() {
  const { t } = useTranslation('settings');
  const { data, error, refetch } = useQuery(optionQueries.configuration());
  if (error && data === undefined)
    return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  if (data === null) return <p className={`top2 note ${classes.sectionText}`}>{t('configuration.none')}</p>;
  return (
    <>
      <div className={classes.row}>
        <div className={classes.name}>
          <span>{t('configuration.applied')}</span>
        </div>
        <div className={`stack4 shrink ${classes.control}`}>
          <span>
            {t('configuration.file', { file: data.file, time: absoluteTime(data.applied_at) })}{' '}
            <code title={data.hash}>{data.hash.slice(0, HASH_CHARACTERS)}</code>
          </span>
        </div>
      </div>
      <div className={classes.row}>
        <div className={classes.name}>
          <span>{t('configuration.drift')}</span>
        </div>
        <div className={`stack4 shrink ${classes.control}`}>
          <Differences drift={data} />
        </div>
      </div>
    </>
  );
}

function Differences({ drift: { differences } }: { drift: ConfigurationDrift }) {
  const { t } = useTranslation('settings');
  if (differences.length === 0) return <span>{t('configuration.same')}</span>;
  const shown = differences.slice(0, SHOWN_MOST);
  return (
    <ul className="anywhere">
      {shown.map(({ kind, name, change, fields }) => (
        <li key={`${kind} ${name}`}>
          {t(`configuration.change.${change}`, { kind: t(`configuration.kind.${kind}`), name })}
          {fields.length > 0 && change === 'changed' ? <code> {fields.join(', ')}</code> : null}
        </li>
      ))}
      {differences.length > shown.length ? (
        <li>{t('configuration.more', { count: differences.length - shown.length })}</li>
      ) : null}
    </ul>
  );
}
