// How long a plan lasts and when its quota is granted anew, and the limits of its numbers.

export const PLAN_RESETS = ['never', 'daily', 'weekly', 'monthly'] as const;
export type PlanReset = (typeof PLAN_RESETS)[number];
export const PLAN_UNITS = ['day', 'month'] as const;
export type PlanUnit = (typeof PLAN_UNITS)[number];
export const PLAN_NAME_MAX = 40;
export const PLAN_DESCRIPTION_MAX = 500;
export const PLAN_DAYS_MAX = 3660;
export const PLAN_MONTHS_MAX = 120;
/** Far below the largest number: parts of calls that outlive a period, and many subscriptions of one user, are added. */
export const PLAN_QUOTA_MAX = 10_000_000_000_000;
export const PLAN_PRICE_MAX = 1_000_000_000;
/** Subscriptions that end within so many days are shown as expiring. */
export const PLAN_EXPIRING_DAYS = 7;

export interface PlanSchedule {
  duration_unit: PlanUnit;
  duration_count: number;
  reset: PlanReset;
}

/**
 * The length of one period; undefined when the duration is not a whole number of them: weeks in a month, months in days.
 * Without a reset the duration is one period.
 */
export function intervalOf({
  duration_unit: unit,
  duration_count: count,
  reset,
}: PlanSchedule): { interval_unit: PlanUnit; interval_count: number } | undefined {
  if (reset === 'never') return { interval_unit: unit, interval_count: count };
  if (reset === 'daily') return { interval_unit: 'day', interval_count: 1 };
  if (reset === 'weekly')
    return unit === 'day' && count % 7 === 0 ? { interval_unit: 'day', interval_count: 7 } : undefined;
  return unit === 'month' ? { interval_unit: 'month', interval_count: 1 } : undefined;
}

const DAYS_OF_A_MONTH = 30;

/**
 * How often the quota is granted, and whether that is exact: a month of daily quota has 28 to 31 of them, and is counted as 30.
 */
export function periodsIn({ duration_unit: unit, duration_count: count, reset }: PlanSchedule): {
  periods: number;
  isExact: boolean;
} {
  if (reset === 'never') return { periods: 1, isExact: true };
  if (reset === 'weekly') return { periods: Math.floor(count / 7), isExact: true };
  if (reset === 'monthly' || unit === 'day') return { periods: count, isExact: true };
  return { periods: count * DAYS_OF_A_MONTH, isExact: false };
}
