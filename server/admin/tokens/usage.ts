// Recent usage of tokens, from the hourly figures. Days and months are UTC.
import { SPARK_DAYS } from '#contract/admin/tokens.ts';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

const DAY_SECONDS = 86_400;

export interface TokenUsage {
  day: number;
  month: number;
  /** Oldest first, today last. */
  recent: number[];
}

export function dayStart(now: number): number {
  return now - (now % DAY_SECONDS);
}

export function recentStart(now: number): number {
  return dayStart(now) - (SPARK_DAYS - 1) * DAY_SECONDS;
}

function monthStart(now: number): number {
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

/** One grouped query for all tokens of a page. */
export async function usageOf(
  db: Kysely<Schema>,
  userId: number,
  tokenIds: readonly number[],
  now: number,
): Promise<(tokenId: number) => TokenUsage> {
  const byToken = new Map<number, TokenUsage>();
  const empty = (): TokenUsage => ({ day: 0, month: 0, recent: Array.from({ length: SPARK_DAYS }, () => 0) });
  if (tokenIds.length > 0) {
    const day = sql<number>`hour - hour % ${sql.lit(DAY_SECONDS)}`;
    const rows = await db
      .selectFrom('usage_hours')
      .select(['token_id', day.as('day'), sql<number>`cast(sum(quota) as bigint)`.as('quota')])
      .where('token_id', 'in', tokenIds)
      .where('user_id', '=', userId)
      .where('hour', '>=', Math.min(monthStart(now), recentStart(now)))
      .groupBy(['token_id', day])
      .execute();
    for (const row of rows) {
      const usage = byToken.get(row.token_id) ?? empty();
      const index = (row.day - recentStart(now)) / DAY_SECONDS;
      if (index >= 0 && index < SPARK_DAYS) usage.recent[index] = row.quota;
      if (row.day === dayStart(now)) usage.day = row.quota;
      if (row.day >= monthStart(now)) usage.month += row.quota;
      byToken.set(row.token_id, usage);
    }
  }
  return (tokenId) => byToken.get(tokenId) ?? empty();
}
