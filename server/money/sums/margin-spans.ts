// The spans of which the sums of margins are kept (`margin_sums`, ADR 79): days and weeks of UTC, and the hours of a day, of which
// the days of the site's time zone are made (ADR 98).
import { DAY_SECONDS } from '#contract/time.ts';

/** Days of the sums; a longer one is a multiple of each shorter one. */
export const SPAN_DAYS = [1, 7] as const;
/** The hours of one day: each has sums of its own, and all of them hold or none does. */
export const HOURS_OF_A_DAY = 0;
/** In the order in which they are marked and summed. */
export const SPANS = [HOURS_OF_A_DAY, ...SPAN_DAYS] as const;

export interface MarginSpan {
  days: (typeof SPANS)[number];
  /** First second of the first day. */
  day: number;
}

/** The first second of the span of this length that contains the second. */
export const spanStart = (second: number, days: number): number =>
  second - (second % (Math.max(1, days) * DAY_SECONDS));

/** The first second after the span. */
export const spanEnd = ({ days, day }: MarginSpan): number => day + Math.max(1, days) * DAY_SECONDS;

/** Each span that contains one of the days, once, and always in the same order, in which transactions lock their rows. */
export function spansOf(days: Iterable<number>): MarginSpan[] {
  const sorted = [...days].toSorted((left, right) => left - right);
  return SPANS.flatMap((length) =>
    [...new Set(sorted.map((day) => spanStart(day, length)))].map((day) => ({ days: length, day })),
  );
}
