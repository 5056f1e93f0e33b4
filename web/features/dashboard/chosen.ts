/** What the address and the installation choose: whose figures, of which time, in columns of which length. */
import type { StatusView } from '#contract/admin/site.ts';
import { daysBetween, siteDay } from '#contract/site-day.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import {
  areSiteDays,
  chosenDays,
  lastDays,
  lastDaysBy,
  mostDays,
  siteMonths,
  type SiteDays,
  type Span,
} from './figures.ts';
import type { DataScope } from './queries.ts';
import { USUAL_DAYS, type DashboardSearch, type Granularity } from './search.ts';

const WEEK_DAYS = 7;

interface Chosen {
  granularity: Granularity;
  /** Of the site. */
  zone: string;
  /** The choice of the last days, also while a month is chosen. */
  lastDays: number;
  /** Days of the site that the reader chose. */
  custom: SiteDays | undefined;
  span: Span;
  /** For averages by day: the running day counts in part. */
  days: number;
  /** A heat map has all weekdays, however short the chosen time is. */
  heatSpan: Span;
  scope: DataScope;
}

/** Columns that can be told apart, unless the reader chose others. */
function usualGranularity({ since, until }: SiteDays): Granularity {
  const days = daysBetween(since, until) + 1;
  return days <= 2 ? 'hour' : days <= 92 ? 'day' : 'week';
}

export function chosenFrom(
  search: DashboardSearch,
  status: Pick<StatusView, 'data_export_default_time' | 'time_zone'> | undefined,
  admin: boolean,
  now: number,
): Chosen {
  const zone = status?.time_zone ?? 'UTC';
  const all = admin && search.scope !== 'self';
  const { since = '', until = '' } = search;
  const isCustom = areSiteDays({ since, until }, siteDay(zone, now), mostDays(all));
  const custom = isCustom ? { since, until } : undefined;
  const usual = custom ? usualGranularity(custom) : (status?.data_export_default_time ?? 'hour');
  const asked = search.by ?? usual;
  // A year of hours is more columns than there are pixels.
  const granularity = custom && asked === 'hour' && daysBetween(since, until) > WEEK_DAYS ? 'day' : asked;
  const last = search.days ?? USUAL_DAYS[granularity];
  const span = custom
    ? chosenDays(custom, now, zone)
    : search.span
      ? siteMonths(search.span, now, zone)
      : lastDaysBy(granularity, last, now, zone);
  const days = Math.max(1, (span.to + 1 - span.from) / DAY_SECONDS);
  return {
    granularity,
    zone,
    lastDays: last,
    custom,
    span,
    days,
    heatSpan: days < WEEK_DAYS ? lastDays(WEEK_DAYS, now) : span,
    scope: { all, username: all ? (search.user ?? '') : '' },
  };
}
