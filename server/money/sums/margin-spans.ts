// The days and weeks of which the sums of margins are kept (`margin_sums`, ADR 79).
export const DAY_SECONDS = 86_400;
/** Days of the sums; a longer one is a multiple of each shorter one. */
export const SPAN_DAYS = [1, 7] as const;

export interface MarginSpan {
  days: (typeof SPAN_DAYS)[number];
  /** First second of the first day. */
  day: number;
}

/** The first second of the span of this length that contains the second. */
export const spanStart = (second: number, days: number): number => second - (second % (days * DAY_SECONDS));

/** Each span that contains one of the days, once, and always in the same order, in which transactions lock their rows. */
export function spansOf(days: Iterable<number>): MarginSpan[] {
  const sorted = [...days].toSorted((left, right) => left - right);
  return SPAN_DAYS.flatMap((length) =>
    [...new Set(sorted.map((day) => spanStart(day, length)))].map((day) => ({ days: length, day })),
  );
}
