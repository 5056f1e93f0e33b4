// Sums finished hours by user, by channel, by model and in total, for logs with one such filter or none. server/app/jobs runs it,
// an hour at a time, oldest first; hours that are not summed yet are read from the hourly figures.
import { nowSeconds } from '#server/admin/clock.ts';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { HOUR_SECONDS } from './conditions.ts';
import type { LogDependencies } from './dependencies.ts';
import { hasNameFilter, type Scope } from './scope.ts';

export const ROLLUP_SCOPE = { all: 0, user: 1, channel: 2, model: 3 } as const;

/** Calls have ended and are settled long before an hour is this old. */
const CLOSED_AFTER_HOURS = 3;
/** Hours that are summed again, in case a settlement was late. */
const AGAIN_HOURS = 24;

const PARTS = [
  { scope: ROLLUP_SCOPE.all, key: sql`''` },
  { scope: ROLLUP_SCOPE.user, key: sql`cast(user_id as text)` },
  { scope: ROLLUP_SCOPE.channel, key: sql`cast(channel_id as text)` },
  { scope: ROLLUP_SCOPE.model, key: sql`model_name` },
];

/** The first second that is not summed yet; 0 when nothing is summed. */
export async function rolledUntil(store: Store): Promise<number> {
  const { rows } = await sql<{ hour: number | null }>`
    select max(hour) as hour from usage_rollup where scope = ${ROLLUP_SCOPE.all} and key = ''`.execute(
    store.db,
  );
  const newest = rows[0]?.hour;
  return newest === null || newest === undefined ? 0 : newest + HOUR_SECONDS;
}

/** The sums that give the same result as the hourly figures for this filter; undefined: none. */
export function rollupOf(scope: Scope): { scope: number; keys: readonly string[] } | undefined {
  if (hasNameFilter(scope) || scope.tokenIds || scope.group !== undefined || scope.requestId !== undefined)
    return undefined;
  const models = scope.modelNames ?? scope.models;
  const asked = [scope.userId, scope.channelId, models].filter((value) => value !== undefined);
  // No model name matches the pattern.
  if (asked.length > 1 || models?.length === 0) return undefined;
  if (scope.userId !== undefined) return { scope: ROLLUP_SCOPE.user, keys: [String(scope.userId)] };
  if (scope.channelId !== undefined) return { scope: ROLLUP_SCOPE.channel, keys: [String(scope.channelId)] };
  if (models !== undefined) return { scope: ROLLUP_SCOPE.model, keys: models };
  return { scope: ROLLUP_SCOPE.all, keys: [''] };
}

async function sumHour(store: Store, hour: number): Promise<void> {
  const total = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint)`;
  await store.db.transaction().execute(async (transaction) => {
    for (const { scope, key } of PARTS) {
      // In order of the key, so that two nodes that sum the same hour wait for each other instead of deadlocking.
      await sql`insert into usage_rollup
        (scope, key, hour, count, error_count, quota, prompt_tokens, completion_tokens)
        select ${sql.lit(scope)}, ${key}, hour, ${total('count')}, ${total('error_count')}, ${total('quota')},
          ${total('prompt_tokens')}, ${total('completion_tokens')}
        from usage_hours where hour = ${hour} group by hour, 2 order by 2
        on conflict (scope, key, hour) do update set count = excluded.count, error_count = excluded.error_count,
          quota = excluded.quota, prompt_tokens = excluded.prompt_tokens,
          completion_tokens = excluded.completion_tokens`.execute(transaction);
    }
  });
}

/** All hours are summed again by the next runs; the hourly figures stay. */
export async function forgetRollup(transaction: Transaction<Schema>): Promise<void> {
  await transaction.deleteFrom('usage_rollup').execute();
}

/** Sums finished hours again whose figures were corrected. */
export async function sumHoursAgain(
  store: Store,
  hours: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const until = await rolledUntil(store);
  for (const hour of hours) if (hour < until && !signal.aborted) await sumHour(store, hour);
}

/** The next hour with figures, from this one on and before `end`. */
async function nextHour(store: Store, from: number, end: number): Promise<number | undefined> {
  const { rows } = await sql<{ hour: number | null }>`
    select min(hour) as hour from usage_hours where hour >= ${from} and hour < ${end}`.execute(store.db);
  return rows[0]?.hour ?? undefined;
}

/** Sums finished hours that are not summed, and the last day again. Stops when `pause` gives false. Returns how many. */
export async function rollUp(
  dependencies: Pick<LogDependencies, 'store' | 'now'>,
  pause: () => Promise<boolean> = async () => true,
): Promise<number> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const end = now - (now % HOUR_SECONDS) - CLOSED_AFTER_HOURS * HOUR_SECONDS;
  const until = await rolledUntil(store);
  let hour = await nextHour(store, Math.max(0, until - AGAIN_HOURS * HOUR_SECONDS), end);
  let count = 0;
  while (hour !== undefined) {
    await sumHour(store, hour);
    count += 1;
    if (!(await pause())) break;
    hour = await nextHour(store, hour + HOUR_SECONDS, end);
  }
  return count;
}
