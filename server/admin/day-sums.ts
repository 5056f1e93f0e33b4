// Sums of hours by the days of the site, for tables that keep use by the hour. An hour counts for the day in which it begins.
import { sql, type RawBuilder } from 'kysely';
import { addDays, daysFrom, dayStart, siteDay } from '#contract/site-day.ts';

/** The first seconds of the last days, today last. */
export function lastDayStarts(zone: string, days: number, now: number): number[] {
  const today = siteDay(zone, now);
  return daysFrom(addDays(today, 1 - days), today).map((day) => dayStart(zone, day));
}

/** The place of an hour's day among ascending starts; -1 before the first of them. */
export const dayPlace = (starts: readonly number[]): RawBuilder<number> =>
  sql<number>`case ${sql.join(
    starts.map((start, place) => sql`when hour >= ${sql.lit(start)} then ${sql.lit(place)}`).toReversed(),
    sql` `,
  )} else -1 end`;
