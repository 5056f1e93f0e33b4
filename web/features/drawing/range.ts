/** Time ranges of the page: the default of the specification, quick picks, and their words. All in the browser's zone. */
import { DRAWING_RANGE } from '#contract/drawing.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { DrawingSearch } from './search.ts';

export interface TimeRange {
  from: number;
  to: number;
}

const DAY_SECONDS = 86_400;

function midnight(now: number): number {
  const date = new Date(now * 1000);
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 1000);
}

/** Thirty days back, up to an hour ahead, unless the address says otherwise. */
export function drawingRange(search: Pick<DrawingSearch, 'from' | 'to' | 'range'>, now: number): TimeRange {
  const { from, to, range } = search;
  const end = now + DRAWING_RANGE.aheadSeconds;
  if (range === 'today') return { from: midnight(now), to: end };
  if (range === 'week') return { from: now - 7 * DAY_SECONDS, to: end };
  return { from: from ?? now - DRAWING_RANGE.days * DAY_SECONDS, to: to ?? end };
}

/** `11-11 00:00 → 11-13 17:42`. */
export function rangeText({ from, to }: TimeRange): string {
  const short = (time: number) => absoluteTime(time).slice(5, 16);
  return `${short(from)} → ${short(to)}`;
}
