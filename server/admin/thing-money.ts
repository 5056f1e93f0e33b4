// The money of a thing's page, from the sums of margins, in days of the site.
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import type { MarginFigures, MarginReport, MarginRow } from '#contract/money/margins.ts';
import type { ThingWindow } from '#contract/thing-window.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/** A week at least: what a day brought says little about a price. */
export const moneyDaysOf = (window: ThingWindow): number => (window === '30d' ? MONTH_DAYS : WEEK_DAYS);

/** The margin of a report is without the fees, so that used = cost + margin + unknown. */
export const thingMoneyOf = (figures: MarginFigures & Pick<MarginRow, 'cache'>): ThingMoney => ({
  used: figures.revenue,
  cost: figures.cost + figures.fees,
  fees: figures.fees,
  margin: figures.margin,
  unknown: figures.unknown_revenue,
  calls: figures.calls,
  unknown_calls: figures.unknown_calls,
  cache: figures.cache,
});

/** All of a report, with its days. */
export const reportMoneyOf = ({
  from,
  to,
  time_zone,
  total,
  cache,
}: MarginReport): ThingMoney & Pick<MarginReport, 'from' | 'to' | 'time_zone'> => ({
  from,
  to,
  time_zone,
  ...thingMoneyOf({ ...total, cache }),
});
