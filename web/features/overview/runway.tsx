/** What each day used, then how long the balance lasts at that pace: one bar per day; hollow bars are a forecast. */
import { useTranslation } from 'react-i18next';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Panel } from './parts.tsx';
import classes from './runway.module.css';

/** More days ahead say nothing that the sentence does not say. */
const MOST_AHEAD = 30;
const LOW_DAYS = 3;

export function Balance({ data: { balance, pace, days } }: { data: CustomerOverview }) {
  const { t } = useTranslation('overview');
  const display = useDisplay();
  const amount = (quota: number) => renderQuota(quota, display, 2);
  const count = pace.days_left === null ? 0 : Math.floor(pace.days_left);
  return (
    <Panel title={t('balance.title')} hint={t('balance.hint')}>
      <div className={`wrap8 ${classes.figure}`}>
        <StatAmount quota={balance.quota + balance.plans} />
        {pace.days_left === null ? null : (
          <span className="caption">
            {t('balance.equation', { perDay: amount(pace.per_day), week: amount(pace.week) })}{' '}
            <b className="strong">{t('balance.days', { count })}</b>
          </span>
        )}
        {balance.plans > 0 ? (
          <span className="note">{t('balance.plans', { amount: amount(balance.plans) })}</span>
        ) : null}
        {balance.held > 0 ? (
          <span className="note">{t('balance.held', { amount: amount(balance.held) })}</span>
        ) : null}
      </div>
      <Posts days={days} pace={pace} amount={amount} />
    </Panel>
  );
}

/** Pixels: of the whole, of a post with its gap, of the post of the end. */
const WIDEST = 640;
const WIDEST_POST = 21;
const LAST_POST = 3;

interface PostsProps extends Pick<CustomerOverview, 'days' | 'pace'> {
  amount: (quota: number) => string;
}

function Posts({ days, pace, amount }: PostsProps) {
  const { t } = useTranslation('overview');
  const top = Math.max(pace.per_day, ...days.map(({ quota }) => quota), 1);
  const left = pace.days_left === null ? 0 : Math.floor(pace.days_left);
  const ahead = Math.min(left, MOST_AHEAD);
  const ends = pace.ends_on !== null && left <= MOST_AHEAD;
  const today = days.at(-1);
  const height = (quota: number) => `${(quota / top) * 100}%`;
  // As wide as its posts at most, so that the day of the end stands below the last of them.
  const widest = (days.length + ahead) * WIDEST_POST + (ends ? LAST_POST : 0);
  return (
    <div role="img" aria-label={t('balance.posts')} style={{ maxWidth: Math.min(WIDEST, widest) }}>
      <div className={classes.posts}>
        {days.map(({ day, quota }) => (
          <span
            key={day}
            title={`${day} ${amount(quota)}`}
            data-kind={day === today?.day ? 'today' : quota === 0 ? 'none' : 'past'}
            style={{ height: height(quota) }}
          />
        ))}
        {Array.from({ length: ahead }, (_, at) => (
          <span key={at} data-kind="ahead" style={{ height: height(pace.per_day) }} />
        ))}
        {ends ? <span data-kind={left <= LOW_DAYS ? 'near' : 'end'} /> : null}
      </div>
      <div className={`tiny ${classes.axis}`} aria-hidden>
        <span>{days[0]?.day.slice(5)}</span>
        <span
          className={classes.now}
          style={{ left: `${(days.length / (days.length + ahead + (ends ? 1 : 0))) * 100}%` }}
        >
          {t('balance.today', { amount: amount(today?.quota ?? 0) })}
        </span>
        {pace.ends_on === null ? null : (
          <span className={ends ? 'warning' : undefined}>
            {t('balance.ends', { day: ends ? pace.ends_on.slice(5) : pace.ends_on })}
          </span>
        )}
      </div>
    </div>
  );
}
