// Calls of the last 24 hours that were refused before any attempt, by cause: the operator's to fix, or the caller's.
import { sql } from 'kysely';
import type { OperatorOverview, Refusal } from '#contract/admin/overview.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import type { Store } from '#server/platform/store/store.ts';
import { type OverviewDependencies } from './dependencies.ts';
import { readRefusedSince } from './refused-hours.ts';

const HOURS = 24;
const MOST_MODELS = 3;

/** What the operator can end: a channel, a price, a machine. */
export const OURS: ReadonlySet<string> = new Set<RelayErrorCode>([
  'no_channel',
  'no_price',
  'no_target',
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

/** From the beginning of the hour 24 hours ago: the calls that they are compared with are counted by the hour. */
export async function readRefused(dependencies: OverviewDependencies): Promise<OperatorOverview['refused']> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const dayAgo = now - HOURS * HOUR_SECONDS;
  const start = dayAgo - (dayAgo % HOUR_SECONDS);
  const [causes, attempted] = await Promise.all([
    readRefusedSince(store, start, now, STRANGERS),
    callsSince(store, start),
  ]);
  const known = [...causes]
    .map(([code, cause]): Refusal => ({
      code,
      count: cause.count,
      users: cause.users.size,
      keys: cause.keys.size,
      models: OURS.has(code) ? mostRefused(cause.models) : [],
    }))
    .toSorted((left, right) => right.count - left.count || (left.code < right.code ? -1 : 1));
  const total = known.reduce((sum, { count }) => sum + count, 0);
  return {
    start,
    total,
    calls: attempted + total,
    ours: known.filter(({ code }) => OURS.has(code)),
    callers: known.filter(({ code }) => !OURS.has(code)),
  };
}

const mostRefused = (models: ReadonlyMap<string, number>): string[] =>
  [...models]
    .toSorted(([left, calls], [right, others]) => others - calls || (left < right ? -1 : 1))
    .slice(0, MOST_MODELS)
    .map(([model]) => model);

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
