// What the calls of days of the site brought and cost. Whole days of UTC inside the span are read from their own sums; what the
// midnights of the site cut off is read by the hour (ADR 98).
import { daysFrom, dayStart, siteDay } from '#contract/site-day.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { spanStart } from '#server/money/sums/margin-spans.ts';
import type { Store } from '#server/platform/store/store.ts';
import { daySums, type KeyedSums } from './day-sums.ts';
import { hourSums, type Range } from './hours.ts';
import type { SumQuery } from './kinds.ts';

/** Days of the site, as text, and their seconds. */
export interface SiteSpan extends Range {
  from: string;
  to: string;
  zone: string;
}

/** By day: the key is a day of the site. */
export async function callSums(
  store: Store,
  span: SiteSpan,
  query: SumQuery,
  now: number,
): Promise<KeyedSums[]> {
  const range = { start: hourOf(span.start), end: hourOf(span.end) };
  const isByDay = query.by === 'day' && !hasDaysOfUtc(span);
  const first = isByDay ? range.end : spanStart(range.start + DAY_SECONDS - 1, 1);
  const end = isByDay ? range.end : spanStart(range.end, 1);
  // A short span may have no whole day of UTC.
  const parts =
    first >= end
      ? [range]
      : [
          { start: range.start, end: first },
          { start: end, end: range.end },
        ];
  const sums = await Promise.all([
    first < end ? daySums(store, { first, last: end - DAY_SECONDS }, query) : [],
    ...parts.map((part) => hourSums(store, part, query, { now, undivided: undividedDay(span.zone, now) })),
  ]);
  const found = sums.flat();
  return query.by === 'day'
    ? found.map((row) => ({ ...row, key: siteDay(span.zone, Number(row.key)) }))
    : found;
}

/** Clocks of nodes differ by less. */
const MOST_AHEAD_SECONDS = 900;

/** The running day of UTC, while all of it so far is of one day of the site. */
function undividedDay(zone: string, now: number): number | undefined {
  const today = spanStart(now, 1);
  return siteDay(zone, today) === siteDay(zone, now + MOST_AHEAD_SECONDS) ? today : undefined;
}

/** In a zone whose days begin within an hour of UTC, that hour counts for the day in which it begins, as elsewhere (ADR 102). */
export const hourOf = (second: number): number => Math.ceil(second / HOUR_SECONDS) * HOUR_SECONDS;

const hasDaysOfUtc = ({ zone, from, to }: SiteSpan): boolean =>
  daysFrom(from, to).every((day) => dayStart(zone, day) % DAY_SECONDS === 0);
