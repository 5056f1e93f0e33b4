// A cheap upper bound of the number of rows: ids rise with time.
import { sql } from 'kysely';
import { timeCondition } from './conditions.ts';
import type { LogDependencies } from './dependencies.ts';
import type { Scope } from './scope.ts';

export async function mostRows({ store }: LogDependencies, { from, to }: Scope): Promise<number> {
  const edge = (order: 'asc' | 'desc') =>
    sql<{ id: number }>`select id from logs where ${timeCondition(from, to)}
      order by created_at ${sql.raw(order)} limit 1`.execute(store.db);
  // One after the other: in parallel one could queue behind the long count on the second reader.
  const first = await edge('asc');
  const last = await edge('desc');
  const oldest = first.rows[0]?.id;
  const newest = last.rows[0]?.id;
  return oldest === undefined || newest === undefined ? 0 : Math.max(0, newest - oldest) + 1;
}
