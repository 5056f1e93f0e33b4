// Calls of the last 24 hours that were refused for one reason, by model.
import { sql } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface RefusedCalls {
  calls: number;
  users: number;
}

/** `since`: for each model the time from which its refusals count. One read of a day of the index by minute. */
export async function readRefusals(
  { db }: Store,
  code: string,
  since: ReadonlyMap<string, number>,
  now: number,
): Promise<(models: readonly string[]) => RefusedCalls> {
  if (since.size === 0) return () => ({ calls: 0, users: 0 });
  const first = now - DAY_SECONDS;
  const minuteOf = (time: number): number => Math.max(first, time) - (Math.max(first, time) % 60);
  const byMinute = Map.groupBy(since.keys(), (model) => minuteOf(since.get(model) ?? 0));
  const conditions = [...byMinute].map(
    ([minute, models]) => sql`(minute >= ${minute} and model_name in (${sql.join(models)}))`,
  );
  const { rows } = await sql<{ model: string; user_id: number; calls: number }>`
    select model_name as model, user_id, cast(sum(count) as bigint) as calls from refused_calls
    where minute >= ${Math.min(...byMinute.keys())} and code = ${code} and (${sql.join(conditions, sql` or `)})
    group by model_name, user_id`.execute(db);
  return (models) => {
    const of = rows.filter(({ model }) => models.includes(model));
    return {
      calls: of.reduce((sum, { calls }) => sum + calls, 0),
      users: new Set(of.map(({ user_id }) => user_id).filter((id) => id > 0)).size,
    };
  };
}
