// Calls of the last 24 hours that were refused for one reason, by model.
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';

const DAY_SECONDS = 86_400;

export interface RefusedCalls {
  calls: number;
  users: ReadonlySet<number>;
}

/** Reads a day of the index by minute. */
export async function refusedFor(
  { db }: Store,
  code: string,
  models: readonly string[],
  since: number,
  now: number,
): Promise<RefusedCalls> {
  if (models.length === 0) return { calls: 0, users: new Set() };
  const from = Math.max(since, now - DAY_SECONDS);
  const { rows } = await sql<{ user_id: number; calls: number }>`
    select user_id, cast(sum(count) as bigint) as calls from refused_calls
    where minute >= ${from - (from % 60)} and code = ${code} and model_name in (${sql.join(models)})
    group by user_id`.execute(db);
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    users: new Set(rows.map(({ user_id }) => user_id).filter((id) => id > 0)),
  };
}
