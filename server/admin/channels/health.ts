// The attempts of channels in the last day, as the relay counts them (server/relay/channel-choice/channel-health.ts).
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { FIRST_TOKEN_LIMITS, firstTokenPercentile } from '#contract/relay/channel-health.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Row } from '#server/platform/store/schema.ts';
import type { ChannelDependencies } from './dependencies.ts';

const HOURS = 24;
const CLASSES = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);

type Health = Pick<
  ChannelView,
  'health' | 'broken_streams' | 'first_token_p50' | 'first_token_p95' | 'last_error'
>;

/** The first of the last 24 hours. */
export const firstHourOf = (now: number): number =>
  Math.floor(now / HOUR_SECONDS) * HOUR_SECONDS - (HOURS - 1) * HOUR_SECONDS;

/** The average class of the time to the first token, for sorting; null without streams. */
export const meanClass: RawBuilder<number | null> = sql`sum(${sql.join(
  CLASSES.map((name, index) => sql`${sql.ref(name)} * ${sql.lit(index * 1.0)}`),
  sql` + `,
)}) * 1.0 / nullif(sum(${sql.join(
  CLASSES.map((name) => sql.ref(name)),
  sql` + `,
)}), 0)`;

type HourRow = {
  channel_id: number;
  hour: number;
  attempts: number;
  failures: number;
  broken: number;
} & Record<string, number>;

export async function healthOf(
  dependencies: ChannelDependencies,
  ids: readonly number[],
): Promise<(channelId: number) => Health> {
  const { db } = dependencies.store;
  const firstHour = firstHourOf(nowSeconds(dependencies));
  // No channel has the id 0; a list of none would be no SQL.
  const asked = sql.join(ids.length === 0 ? [0] : ids);
  const [hours, errors] = await Promise.all([
    sql<HourRow>`select * from channel_hours where channel_id in (${asked}) and hour >= ${firstHour}`.execute(
      db,
    ),
    sql<Row<'channel_errors'>>`select * from channel_errors where channel_id in (${asked})`.execute(db),
  ]);
  const hoursOf = Map.groupBy(hours.rows, ({ channel_id }) => channel_id);
  const errorOf = new Map(errors.rows.map((row) => [row.channel_id, row]));
  return (channelId) => {
    const health = Array.from({ length: HOURS }, () => ({ calls: 0, errors: 0 }));
    const firstTokens = CLASSES.map(() => 0);
    let broken = 0;
    for (const row of hoursOf.get(channelId) ?? []) {
      health[(row.hour - firstHour) / HOUR_SECONDS] = {
        calls: row.attempts - row.failures,
        errors: row.failures,
      };
      broken += row.broken;
      for (const [index, name] of CLASSES.entries())
        firstTokens[index] = (firstTokens[index] ?? 0) + (row[name] ?? 0);
    }
    const error = errorOf.get(channelId);
    return {
      health,
      broken_streams: broken,
      first_token_p50: firstTokenPercentile(firstTokens, 0.5),
      first_token_p95: firstTokenPercentile(firstTokens, 0.95),
      last_error:
        error === undefined ? null : { at: error.at, request_id: error.request_id, words: error.words },
    };
  };
}
