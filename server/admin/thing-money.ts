// The money of a thing's page, from the sums of margins, in days of UTC as those are kept.
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import type { MarginFigures } from '#contract/money/margins.ts';
import { addDays, siteDay } from '#contract/site-day.ts';
import type { ThingWindow } from '#contract/thing-window.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/** A week at least: what a day brought says little about a price. */
export function moneyDaysOf(window: ThingWindow, now: number): { from: string; to: string } {
  const to = siteDay('UTC', now);
  return { from: addDays(to, 1 - (window === '30d' ? MONTH_DAYS : WEEK_DAYS)), to };
}

/** The margin of a report is without the fees, so that used = cost + margin + unknown. */
export const thingMoneyOf = (figures: MarginFigures): ThingMoney => ({
  used: figures.revenue,
  cost: figures.cost + figures.fees,
  fees: figures.fees,
  margin: figures.margin,
  unknown: figures.unknown_revenue,
  calls: figures.calls,
  unknown_calls: figures.unknown_calls,
});
