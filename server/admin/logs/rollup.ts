// Finished hours by user, by channel, by model and in total, for logs with one such filter or none; hours that are not summed
// yet are read from the hourly figures.
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { PeriodSum } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import { hasNameFilter, type Scope } from './scope.ts';

export const ROLLUP_SCOPE = { all: 0, user: 1, channel: 2, model: 3 } as const;

export const usageRollup: PeriodSum = {
  name: 'rollup',
  periodSeconds: HOUR_SECONDS,
  closedAfterSeconds: 3 * HOUR_SECONDS,
  againSeconds: 24 * HOUR_SECONDS,
  sum: sumHour,
};

const PARTS = [
  { scope: ROLLUP_SCOPE.all, key: sql`''` },
  { scope: ROLLUP_SCOPE.user, key: sql`cast(user_id as text)` },
  { scope: ROLLUP_SCOPE.channel, key: sql`cast(channel_id as text)` },
  { scope: ROLLUP_SCOPE.model, key: sql`model_name` },
];

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

async function sumHour({ db }: Store, hour: number): Promise<true> {
  const total = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint)`;
  await db.transaction().execute(async (transaction) => {
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
  return true;
}
