/** Time ranges of the log: the default of the specification, quick picks, and their words. All in the browser's zone. */
import { LOG_RANGE } from '#contract/logs.ts';
import { absoluteTime } from '#web/ui/format/time.ts';

export interface TimeRange {
  from: number;
  to: number;
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

export const QUICK_RANGES = ['hour', 'today', 'day', 'week', 'month'] as const;
export type QuickRange = (typeof QUICK_RANGES)[number];

function midnight(now: number, daysAgo: number): number {
  const date = new Date(now * 1000);
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime() / 1000);
}

/** Three days ago at midnight, up to an hour ahead. */
export function defaultRange(now: number): TimeRange {
  return { from: midnight(now, LOG_RANGE.days), to: now + LOG_RANGE.aheadSeconds };
}

export function quickRange(name: QuickRange, now: number): TimeRange {
  const from: Record<QuickRange, () => number> = {
    hour: () => now - HOUR_SECONDS,
    today: () => midnight(now, 0),
    day: () => now - DAY_SECONDS,
    week: () => midnight(now, 7),
    month: () => midnight(now, 30),
  };
  return { from: from[name](), to: now + LOG_RANGE.aheadSeconds };
}

/** What the address says, in seconds. */
export function rangeOf(search: { from?: number; to?: number; range?: string }, now: number): TimeRange {
  const quick = QUICK_RANGES.find((name) => name === search.range);
  if (quick) return quickRange(quick, now);
  const standard = defaultRange(now);
  return { from: search.from ?? standard.from, to: search.to ?? standard.to };
}

/** `11-11 00:00 → 11-13 17:42`. */
export function rangeText({ from, to }: TimeRange): string {
  const short = (time: number) => absoluteTime(time).slice(5, 16);
  return `${short(from)} → ${short(to)}`;
}
