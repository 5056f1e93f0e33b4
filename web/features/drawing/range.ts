/** Time ranges of the page: the default of the specification and quick picks. */
import { DRAWING_RANGE } from '#contract/relay/drawing.ts';
import { midnight, type TimeRange } from '#web/ui/range/time-range.ts';
import type { DrawingSearch } from './search.ts';

const DAY_SECONDS = 86_400;

/** Thirty days back, up to an hour ahead, unless the URL has a range. */
export function drawingRange(search: Pick<DrawingSearch, 'from' | 'to' | 'range'>, now: number): TimeRange {
  const { from, to, range } = search;
  const end = now + DRAWING_RANGE.aheadSeconds;
  if (range === 'today') return { from: midnight(now), to: end };
  if (range === 'week') return { from: now - 7 * DAY_SECONDS, to: end };
  return { from: from ?? now - DRAWING_RANGE.days * DAY_SECONDS, to: to ?? end };
}
