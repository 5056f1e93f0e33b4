/** Time ranges of the log: the default of the specification and quick picks. */
import { LOG_RANGE } from '#contract/admin/logs.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { midnight, type TimeRange } from '#web/ui/range/time-range.ts';

export const QUICK_RANGES = ['hour', 'today', 'day', 'week', 'month'] as const;
export type QuickRange = (typeof QUICK_RANGES)[number];

/** Three days ago at midnight, up to an hour ahead. */
export function defaultRange(now: number): TimeRange {
  return { from: midnight(now, LOG_RANGE.days), to: now + LOG_RANGE.aheadSeconds };
}

export function quickRange(name: QuickRange, now: number): TimeRange {
  const from: Record<QuickRange, () => number> = {
    hour: () => now - HOUR_SECONDS,
    today: () => midnight(now),
    day: () => now - DAY_SECONDS,
    week: () => midnight(now, 7),
    month: () => midnight(now, 30),
  };
  return { from: from[name](), to: now + LOG_RANGE.aheadSeconds };
}

/** The range of the URL, in seconds. */
export function rangeOf(search: { from?: number; to?: number; range?: string }, now: number): TimeRange {
  const quick = QUICK_RANGES.find((name) => name === search.range);
  if (quick) return quickRange(quick, now);
  const standard = defaultRange(now);
  return { from: search.from ?? standard.from, to: search.to ?? standard.to };
}
