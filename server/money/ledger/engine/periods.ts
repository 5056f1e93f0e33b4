// The periods of a subscription, in UTC, counted from its start: a day is 86,400 seconds, and a month ends on the start's day
// of the month, or on the last day of a shorter month. Every boundary is computed from the start, so a short month moves
// none of the later ones.

import { DAY_SECONDS } from '#contract/time.ts';

export interface Schedule {
  /** Unix seconds. */
  startedAt: number;
  intervalUnit: 'day' | 'month';
  intervalCount: number;
}

/** When the period with this number begins; the one before ends then. */
export function periodStart({ startedAt, intervalUnit, intervalCount }: Schedule, period: number): number {
  const count = intervalCount * period;
  return intervalUnit === 'day' ? startedAt + count * DAY_SECONDS : addMonths(startedAt, count);
}

/** The number of the period that contains this time; negative before the start. */
export function periodAt(schedule: Schedule, now: number): number {
  const { startedAt, intervalUnit, intervalCount } = schedule;
  const days = (now - startedAt) / DAY_SECONDS;
  const longest = intervalUnit === 'day' ? 1 : 31;
  let period = Math.floor(days / (longest * intervalCount));
  while (periodStart(schedule, period + 1) <= now) period += 1;
  return period;
}

function addMonths(at: number, months: number): number {
  const date = new Date(at * 1000);
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(date.getUTCFullYear(), month, day) / 1000 + (at % DAY_SECONDS);
}
