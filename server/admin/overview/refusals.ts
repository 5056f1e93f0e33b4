// Calls of the last 24 hours that were refused before any attempt, by cause: the operator's to fix, or the caller's.
import { sql } from 'kysely';
import type { OperatorOverview, Refusal } from '#contract/admin/overview.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import type { Store } from '#server/platform/store/store.ts';
import { HOUR_SECONDS, type OverviewDependencies } from './dependencies.ts';

const HOURS = 24;
const MOST_MODELS = 3;

/** What the operator can end: a channel, a price, a machine. */
export const OURS: ReadonlySet<string> = new Set<RelayErrorCode>([
  'no_channel',
  'no_price',
  'channels_busy',
  'upstream_saturated',
  'upstream_failed',
  'upstream_timeout',
  'stream_broken',
  'channel_disabled',
  'no_batch_channel',
  'no_file_channel',
  'task_channel_away',
  'file_channel_away',
  'batch_channel_away',
  'response_away',
  'previous_response_away',
  'submission_unconfirmed',
  'draining',
  'overloaded',
  'unavailable',
  'internal',
]);

/** Refusals of callers without a valid key: scanners, and keys of other sites. */
export const STRANGERS: ReadonlySet<string> = new Set<RelayErrorCode>([
  'missing_api_key',
  'invalid_api_key',
  'unknown_route',
  'method_not_allowed',
]);

export async function readRefused(dependencies: OverviewDependencies): Promise<OperatorOverview['refused']> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const start = now - HOURS * HOUR_SECONDS;
  const first = start - (start % 60);
  const [{ rows }, models, attempted] = await Promise.all([
    sql<Omit<Refusal, 'models'>>`
      select code, cast(sum(count) as bigint) as count, count(distinct case when user_id > 0 then user_id end) as users,
        count(distinct case when token_id > 0 then token_id end) as keys
      from refused_calls where minute >= ${first} group by code`.execute(store.db),
    modelsOf(store, first),
    callsSince(store, start - (start % HOUR_SECONDS)),
  ]);
  const known = rows
    .filter(({ code }) => !STRANGERS.has(code))
    .map((row) => ({ ...row, models: models.get(row.code) ?? [] }))
    .toSorted((left, right) => right.count - left.count || (left.code < right.code ? -1 : 1));
  const total = known.reduce((sum, { count }) => sum + count, 0);
  return {
    start: first,
    total,
    calls: attempted + total,
    ours: known.filter(({ code }) => OURS.has(code)),
    callers: known.filter(({ code }) => !OURS.has(code)),
  };
}

/** Of the causes that a model has: the most refused ones. */
async function modelsOf({ db }: Store, first: number): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ code: string; model_name: string }>`
    select code, model_name from refused_calls
    where minute >= ${first} and model_name <> '' and code in (${sql.join([...OURS])})
    group by code, model_name order by sum(count) desc, model_name limit 200`.execute(db);
  return new Map(
    [...Map.groupBy(rows, ({ code }) => code)].map(([code, of]) => [
      code,
      of.slice(0, MOST_MODELS).map(({ model_name }) => model_name),
    ]),
  );
}

/** Answered and failed calls: finished hours from their sums, the last ones from the figures that calls write. */
async function callsSince({ db }: Store, start: number): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    with summed as (select coalesce(max(hour), 0) as last from usage_rollup where scope = 0 and key = '')
    select cast(
      (select coalesce(sum(count + error_count), 0) from usage_rollup
        where scope = 0 and key = '' and hour >= ${start}) +
      (select coalesce(sum(count + error_count), 0) from usage_hours, summed
        where usage_hours.hour >= ${start} and usage_hours.hour > summed.last) as bigint) as calls`.execute(
    db,
  );
  return rows[0]?.calls ?? 0;
}
