/** What the address and the installation choose: whose figures, of which time, in columns of which length. */
import type { StatusView } from '#contract/admin/site.ts';
import { lastDays, lastDaysBy, siteMonths, type Span } from './figures.ts';
import type { DataScope } from './queries.ts';
import { USUAL_DAYS, type DashboardSearch, type Granularity } from './search.ts';

const DAY_SECONDS = 86_400;
const WEEK_DAYS = 7;

interface Chosen {
  granularity: Granularity;
  /** Of the site. */
  zone: string;
  /** The choice of the last days, also while a month is chosen. */
  lastDays: number;
  span: Span;
  /** For averages by day: the running day counts in part. */
  days: number;
  /** A heat map has all weekdays, however short the chosen time is. */
  heatSpan: Span;
  scope: DataScope;
}

export function chosenFrom(
  search: DashboardSearch,
  status: Pick<StatusView, 'data_export_default_time' | 'time_zone'> | undefined,
  admin: boolean,
  now: number,
): Chosen {
  const granularity = search.by ?? status?.data_export_default_time ?? 'hour';
  const zone = status?.time_zone ?? 'UTC';
  const last = search.days ?? USUAL_DAYS[granularity];
  const all = admin && search.scope !== 'self';
  const span = search.span ? siteMonths(search.span, now, zone) : lastDaysBy(granularity, last, now, zone);
  const days = Math.max(1, (span.to + 1 - span.from) / DAY_SECONDS);
  return {
    granularity,
    zone,
    lastDays: last,
    span,
    days,
    heatSpan: days < WEEK_DAYS ? lastDays(WEEK_DAYS, now) : span,
    scope: { all, username: all ? (search.user ?? '') : '' },
  };
}
