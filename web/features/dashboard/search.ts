/** Search parameters of the dashboard. */
import { flag, oneOf, pattern, searchParams, text, type SearchOf } from '#web/ui/address/search-params.ts';

export const GRANULARITIES = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const DAY_CHOICES = [1, 7, 14, 30] as const;
/** The default span of a granularity. */
export const USUAL_DAYS: Record<Granularity, (typeof DAY_CHOICES)[number]> = { hour: 1, day: 7, week: 30 };

export const STEP_SECONDS: Record<Granularity, number> = { hour: 3600, day: 86_400, week: 604_800 };

/** Calendar months of the site. */
export const MONTHS = ['month', 'last-month'] as const;

const day = pattern(/^\d{4}-\d{2}-\d{2}$/);

export const dashboardSearch = searchParams({
  days: oneOf(...DAY_CHOICES),
  /** Instead of the last days. */
  span: oneOf(...MONTHS),
  /** Instead of both: from a day of the site to another one. */
  since: day,
  until: day,
  by: oneOf(...GRANULARITIES),
  scope: oneOf('self'),
  user: text(64),
  /** Shows the previous period in the columns. */
  compare: flag,
});

export type DashboardSearch = SearchOf<typeof dashboardSearch>;
