/** Calls of 24 hours that were refused before any attempt, by whose they are to fix, to one scale. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { OperatorOverview, Refusal } from '#contract/admin/overview.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { namesJoined } from '#web/ui/format/joined.ts';
import { Panel } from './parts.tsx';
import classes from './refused.module.css';

export function Refused({ refused, now }: Pick<OperatorOverview, 'refused' | 'now'>) {
  const { t } = useTranslation('overview');
  const groups = (['ours', 'callers'] as const).filter((name) => refused[name].length > 0);
  const largest = Math.max(1, ...groups.flatMap((name) => refused[name].map(({ count }) => count)));
  const percent = refused.calls === 0 ? '0%' : `${((refused.total / refused.calls) * 100).toFixed(1)}%`;
  return (
    <Panel
      title={t('refused.title')}
      hint={t('refused.share', {
        total: groupDigits(refused.total),
        calls: groupDigits(refused.calls),
        percent,
      })}
      more={
        refused.total > 0 ? (
          <Link to="/log" search={{ type: LOG_TYPE.refused, from: refused.start, to: now }}>
            {t('refused.all')}
          </Link>
        ) : undefined
      }
    >
      {groups.length === 0 ? <p className="caption">{t('refused.none')}</p> : null}
      {groups.map((name) => (
        <section key={name} className={classes.group} data-whose={name}>
          <h3 className={name === 'ours' ? 'size12 danger regular' : 'size12 soft regular'}>
            {t(`refused.${name}`, {
              calls: groupDigits(refused[name].reduce((sum, { count }) => sum + count, 0)),
            })}
          </h3>
          <ul className={classes.rows}>
            {refused[name].map((each) => (
              <Row key={each.code} refusal={each} largest={largest} />
            ))}
          </ul>
        </section>
      ))}
    </Panel>
  );
}

/** Codes of keys: whose keys they are says more than how many users. */
const OF_KEYS = /^(token_|insufficient_token|day_budget|month_budget)/;

function Row({ refusal, largest }: { refusal: Refusal; largest: number }) {
  const { t, i18n } = useTranslation('overview');
  const { code, count, users, keys, models } = refusal;
  const key = `refused.code.${code}` as 'refused.code.no_price';
  const whom = OF_KEYS.test(code) ? t('refused.keys', { count: keys }) : t('refused.users', { count: users });
  return (
    <li>
      <span className="cut">
        {i18n.exists(key, { ns: 'overview' }) ? String(t(key)) : code}{' '}
        <span className="note">
          {models.length > 0 ? namesJoined(models, i18n.language) : users > 0 ? whom : ''}
        </span>
      </span>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: `${Math.max(2, Math.round((count / largest) * 100))}%` }} />
      </span>
      <span className="tabular number">{groupDigits(count)}</span>
    </li>
  );
}
