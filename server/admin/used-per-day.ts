// What a user's calls used per day of the site, from the hourly figures.
import { sql } from 'kysely';
import { USAGE_DAYS, type UserUsage } from '#contract/admin/user-management.ts';
import { dayPlace, lastDayStarts } from '#server/admin/day-sums.ts';
import type { Store } from '#server/platform/store/store.ts';

const total = (expression: string) => sql<number>`cast(sum(${sql.raw(expression)}) as bigint)`;

/** USAGE_DAYS days, the last one today; days without a call are zero. */
export async function readUsedPerDay(
  { db }: Store,
  userId: number,
  { zone, now }: { zone: string; now: number },
): Promise<UserUsage['days']> {
  const starts = lastDayStarts(zone, USAGE_DAYS, now);
  const place = dayPlace(starts);
  const rows = await db
    .selectFrom('usage_hours')
    .select([
      place.as('place'),
      total('quota').as('quota'),
      total('count').as('count'),
      total('error_count').as('error_count'),
      total('prompt_tokens + completion_tokens').as('tokens'),
    ])
    .where('user_id', '=', userId)
    .where('hour', '>=', starts[0] ?? now)
    .groupBy(place)
    .execute();
  const sumOf = new Map(rows.map(({ place: at, ...sums }) => [at, sums]));
  return starts.map((day, at) => ({
    day,
    ...(sumOf.get(at) ?? { quota: 0, count: 0, error_count: 0, tokens: 0 }),
  }));
}
