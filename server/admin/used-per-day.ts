// What a user's calls used per day of UTC, from the hourly figures.
import { sql } from 'kysely';
import { USAGE_DAYS, type UserUsage } from '#contract/admin/user-management.ts';
import type { Store } from '#server/platform/store/store.ts';

const DAY_SECONDS = 86_400;

const total = (expression: string) => sql<number>`cast(sum(${sql.raw(expression)}) as bigint)`;

/** USAGE_DAYS days, the last one today; days without a call are zero. */
export async function usedPerDay({ db }: Store, userId: number, now: number): Promise<UserUsage['days']> {
  const from = now - (now % DAY_SECONDS) - (USAGE_DAYS - 1) * DAY_SECONDS;
  const day = sql<number>`hour - hour % ${sql.lit(DAY_SECONDS)}`;
  const rows = await db
    .selectFrom('usage_hours')
    .select([
      day.as('day'),
      total('quota').as('quota'),
      total('count').as('count'),
      total('error_count').as('error_count'),
      total('prompt_tokens + completion_tokens').as('tokens'),
    ])
    .where('user_id', '=', userId)
    .where('hour', '>=', from)
    .groupBy(day)
    .execute();
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return Array.from({ length: USAGE_DAYS }, (_, index) => {
    const start = from + index * DAY_SECONDS;
    return byDay.get(start) ?? { day: start, quota: 0, count: 0, error_count: 0, tokens: 0 };
  });
}
