// How often a budget of another gateway is full again. Its days, weeks and months are those of the budgets here; of any other
// duration the rate stays: the longest window that is no longer has its share of the amount, rounded down.
import type { BudgetPeriodName } from '#contract/admin/organization-budgets.ts';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#contract/time.ts';

const MONTH_DAYS = 30;
const WINDOWS = [
  { period: 'month', seconds: MONTH_DAYS * DAY_SECONDS },
  { period: 'week', seconds: 7 * DAY_SECONDS },
  { period: 'day', seconds: DAY_SECONDS },
] as const;

/** `M` is a month and `m` a minute. A year is twelve months. */
const UNITS: Record<string, number | undefined> = {
  s: 1,
  m: MINUTE_SECONDS,
  h: HOUR_SECONDS,
  d: DAY_SECONDS,
  w: 7 * DAY_SECONDS,
  mo: MONTH_DAYS * DAY_SECONDS,
  M: MONTH_DAYS * DAY_SECONDS,
  Q: 3 * MONTH_DAYS * DAY_SECONDS,
  y: 12 * MONTH_DAYS * DAY_SECONDS,
  Y: 12 * MONTH_DAYS * DAY_SECONDS,
};
const WORDS: Record<string, string | undefined> = {
  hourly: '1h',
  daily: '1d',
  weekly: '1w',
  monthly: '1mo',
  yearly: '1y',
};

export interface BudgetWindow {
  period: BudgetPeriodName;
  /** As the source says it; blank: it has no end. */
  duration: string;
  /** Seconds of the window here and there; undefined: they are the same. */
  share?: { here: number; there: number };
  /** The duration cannot be read: the budget is never full again. */
  isUnreadable?: true;
}

export function windowOf(duration: string): BudgetWindow {
  if (duration === '') return { period: 'total', duration };
  const there = secondsOf(duration);
  if (there === undefined) return { period: 'total', duration, isUnreadable: true };
  const { period, seconds: here } = WINDOWS.find(({ seconds }) => seconds <= there) ?? WINDOWS[2];
  return here === there ? { period, duration } : { period, duration, share: { here, there } };
}

/** Undefined: it is no duration. */
export function secondsOf(duration: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([a-zA-Z]+)$/.exec(WORDS[duration] ?? duration) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  return seconds > 0 ? seconds : undefined;
}

/** Units of a window there as those of the window here. Throws a RangeError past the cap. */
export function quotaInWindow(units: number, { share }: BudgetWindow): number {
  if (share === undefined) return units;
  const quota = (BigInt(units) * BigInt(share.here)) / BigInt(share.there);
  if (quota > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('the amount is past the cap');
  return Number(quota);
}
