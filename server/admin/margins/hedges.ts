// What attempts cost that nobody was charged for, in a span of days of the site: those that lost the race of a hedged call (ADR 121), and
// shadow calls (ADR 124). They count beside the calls, as a cost that brought nothing.
import { siteDay } from '#contract/site-day.ts';
import type { MarginReport } from '#contract/money/margins.ts';
import { sql, type SqlBool } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { hourOf, type SiteSpan } from './calls.ts';
import { conditionsOf, keyOf, type KeyedSums } from './day-sums.ts';
import type { SumQuery } from './kinds.ts';

type UnchargedRow = { key: number | string } & MarginReport['hedges'];

export interface UnchargedSums {
  rows: KeyedSums[];
  total: MarginReport['hedges'];
}

export async function sumUncharged(
  { db }: Store,
  table: 'hedge_hours' | 'shadow_hours',
  span: SiteSpan,
  query: SumQuery,
): Promise<UnchargedSums> {
  const key = query.by === 'day' ? sql.ref('hour') : keyOf(query.by);
  const sum = (name: string) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint)`;
  const conditions = [
    sql<SqlBool>`hour >= ${hourOf(span.start)} and hour < ${hourOf(span.end)}`,
    ...conditionsOf(query),
  ];
  const { rows } = await sql<UnchargedRow>`
    select ${key} as key, ${sum('count')} as calls, ${sum('cost')} as cost,
      ${sum('count')} - ${sum('costed_count')} as unknown_calls
    from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} group by 1`.execute(db);
  const total = { calls: 0, cost: 0, unknown_calls: 0 };
  for (const row of rows) {
    total.calls += row.calls;
    total.cost += row.cost;
    total.unknown_calls += row.unknown_calls;
  }
  return {
    rows: rows.map((row) => ({
      key: query.by === 'day' ? siteDay(span.zone, Number(row.key)) : row.key,
      calls: 0,
      revenue: 0,
      cost: row.cost,
      fees: 0,
      known_calls: 0,
      known_revenue: 0,
    })),
    total,
  };
}
