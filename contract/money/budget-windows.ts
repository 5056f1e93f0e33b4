// The days, weeks and months that budgets count: those of the site, from whole hour to whole hour, because use is kept by the hour. In a zone
// whose days begin within an hour of UTC (Asia/Kolkata) a budget begins with the next hour, so that each hour belongs to one day.
import { addDays, daySpan, siteDay, siteMonth, siteMonthSpan, type DaySpan } from '#contract/site-day.ts';
import { HOUR_SECONDS } from '#contract/time.ts';

export const BUDGET_WINDOWS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_WINDOWS)[number];

export interface BudgetZones {
  zone: string;
  /** Zones that the site had before, and when it left them, oldest first; only those whose days or months may still be open. */
  left: readonly { zone: string; at: number }[];
}

export const BUDGETS_OF_UTC: BudgetZones = { zone: 'UTC', left: [] };

/** The day, week or month that is open at a time; its first second and the first one after it. */
export type BudgetCalendar = (period: BudgetPeriod, now: number) => DaySpan;

const nextHour = (seconds: number): number => Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS;

/** A week begins on Monday. */
function daysIn(zone: string, period: 'day' | 'week', day: string): DaySpan {
  if (period === 'day') return daySpan(zone, day);
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = addDays(day, -sinceMonday);
  return daySpan(zone, monday, addDays(monday, 6));
}

function windowIn(zone: string, period: BudgetPeriod, now: number): DaySpan {
  const hour = now - (now % HOUR_SECONDS);
  const { start, end } =
    period === 'month'
      ? siteMonthSpan(zone, siteMonth(zone, hour))
      : daysIn(zone, period, siteDay(zone, hour));
  return { start: nextHour(start), end: nextHour(end) };
}

/** A change of the zone opens nothing: what is open then ends as it began, and only after that the days of the new zone count. */
export function budgetWindow({ zone, left }: BudgetZones, period: BudgetPeriod, now: number): DaySpan {
  const last = left.at(-1);
  if (last !== undefined) {
    const open = budgetWindow({ zone: last.zone, left: left.slice(0, -1) }, period, last.at);
    if (now < open.end) return open;
  }
  return windowIn(zone, period, now);
}

/** When a budget that was refused just now begins anew: as its caller reads it, from the seconds it is told to wait. */
export const budgetEnd = (retryAfterSeconds: number): number =>
  Math.round((Date.now() / 1000 + retryAfterSeconds) / HOUR_SECONDS) * HOUR_SECONDS;

/** Remembers what is open: it is asked with every call that has a budget. */
export function budgetCalendar(zones: BudgetZones): BudgetCalendar {
  const open: Partial<Record<BudgetPeriod, DaySpan>> = {};
  return (period, now) => {
    const known = open[period];
    if (known !== undefined && now >= known.start && now < known.end) return known;
    const found = budgetWindow(zones, period, now);
    open[period] = found;
    return found;
  };
}
