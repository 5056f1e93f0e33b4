/** What needs the reader, in the bell: the same items in the same order as on the overview. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import { useItemWords } from '#web/ui/attention/use-item.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import classes from './needs.module.css';

export function NeedsList({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('shell');
  const user = useUser();
  const { data } = useQuery(attentionQuery);
  const items = data?.items.filter(({ is_snoozed }) => !is_snoozed) ?? [];
  const wordsOf = useItemWords(user !== undefined && isRoot(user.role));
  return (
    <>
      <ul className={classes.list} aria-label={t('strip.label')}>
        {items.map((item) => {
          const { title, detail, place } = wordsOf(item);
          return (
            <li key={item.id}>
              <SeverityMark severity={item.severity} />
              <div className="grow anywhere">
                <Link {...place} onClick={onLeave}>
                  {title}
                </Link>
                <p className="caption">{detail}</p>
              </div>
              {item.since > 0 ? (
                <span className="note nowrap">
                  <Moment timestamp={item.since} />
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
      <Link to="/overview" hash="needs" className={classes.foot} onClick={onLeave}>
        {t(items.length === 0 ? 'strip.nothing' : 'strip.all')}
      </Link>
    </>
  );
}
