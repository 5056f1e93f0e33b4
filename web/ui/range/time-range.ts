/** A range of time as lists filter by it, in Unix seconds; days begin in the browser's zone. */
import { absoluteTime } from '#web/ui/format/time.ts';

export interface TimeRange {
  from: number;
  to: number;
}

export function midnight(now: number, daysAgo = 0): number {
  const date = new Date(now * 1000);
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime() / 1000);
}

/** `11-11 00:00 → 11-13 17:42`. */
export function rangeText({ from, to }: TimeRange): string {
  const short = (time: number) => absoluteTime(time).slice(5, 16);
  return `${short(from)} → ${short(to)}`;
}
