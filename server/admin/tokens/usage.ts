// Recent usage of tokens, from the hourly figures: by days of the site, and since what is open of the budgets began.
import { SPARK_DAYS } from '#contract/admin/tokens.ts';
import { budgetWindow, type BudgetZones } from '#contract/money/budget-windows.ts';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { dayPlace, lastDayStarts } from '#server/admin/day-sums.ts';
import type { Schema } from '#server/platform/store/schema.ts';

export interface TokenUsage {
  day: number;
  month: number;
  /** Oldest first, today last. */
  recent: number[];
}

export const recentStart = (zone: string, now: number): number =>
  lastDayStarts(zone, SPARK_DAYS, now)[0] ?? now;

/** One grouped query for all tokens of a page. */
export async function usageOf(
  db: Kysely<Schema>,
  userId: number,
  tokenIds: readonly number[],
  { zones, now }: { zones: BudgetZones; now: number },
): Promise<(tokenId: number) => TokenUsage> {
  const byToken = new Map<number, TokenUsage>();
  const empty = (): TokenUsage => ({ day: 0, month: 0, recent: Array.from({ length: SPARK_DAYS }, () => 0) });
  if (tokenIds.length > 0) {
    const starts = lastDayStarts(zones.zone, SPARK_DAYS, now);
    const [day, month] = [budgetWindow(zones, 'day', now).start, budgetWindow(zones, 'month', now).start];
    const place = dayPlace(starts);
    const since = (start: number) =>
      sql<number>`cast(sum(case when hour >= ${sql.lit(start)} then quota else 0 end) as bigint)`;
    const rows = await db
      .selectFrom('usage_hours')
      .select([
        'token_id',
        place.as('place'),
        sql<number>`cast(sum(quota) as bigint)`.as('quota'),
        since(day).as('day'),
        since(month).as('month'),
      ])
      .where('token_id', 'in', tokenIds)
      .where('user_id', '=', userId)
      .where('hour', '>=', Math.min(day, month, ...starts))
      .groupBy(['token_id', place])
      .execute();
    for (const row of rows) {
      const usage = byToken.get(row.token_id) ?? empty();
      if (row.place >= 0) usage.recent[row.place] = row.quota;
      usage.day += row.day;
      usage.month += row.month;
      byToken.set(row.token_id, usage);
    }
  }
  return (tokenId) => byToken.get(tokenId) ?? empty();
}
