// The attempts of channels in a window, by its posts, from the hourly counts; the pages of channels and suppliers show them.
import { sql } from 'kysely';
import type { ThingCalls, ThingPost } from '#contract/admin/thing-parts.ts';
import { FIRST_TOKEN_LIMITS, firstTokenPercentile } from '#contract/relay/channel-health.ts';
import type { WindowSpan } from '#contract/thing-window.ts';
import type { Store } from '#server/platform/store/store.ts';

const CLASSES = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);
const HALF = 0.5;

type HourRow = { channel_id: number; hour: number; attempts: number; failures: number } & Record<
  string,
  number
>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const classesOf = (rows: readonly HourRow[]): number[] =>
  CLASSES.map((name) => sum(rows.map((row) => row[name] ?? 0)));
const outcomeOf = (rows: readonly HourRow[]): { answered: number; failed: number } => ({
  answered: sum(rows.map(({ attempts, failures }) => attempts - failures)),
  failed: sum(rows.map(({ failures }) => failures)),
});

/** Empty posts of a window, oldest first. */
export const postsOf = <Post>({ start, step, count }: WindowSpan, make: (at: number) => Post): Post[] =>
  Array.from({ length: count }, (_, index) => make(start + index * step));

export interface ChannelCalls {
  /** Of all these channels together. */
  all(ids: readonly number[]): ThingCalls;
}

/** Reads the window and the one before it, once for all these channels. */
export async function readChannelCalls(
  { db }: Store,
  ids: readonly number[],
  span: WindowSpan,
): Promise<ChannelCalls> {
  const { start, end, step } = span;
  // No channel has the id 0; a list of none would be no SQL.
  const asked = sql.join(ids.length === 0 ? [0] : ids);
  const first = start - (end - start);
  const [hours, used] = await Promise.all([
    sql<HourRow>`select * from channel_hours
      where channel_id in (${asked}) and hour >= ${first} and hour < ${end}`.execute(db),
    sql<UsedRow>`select channel_id, cast(sum(error_count) as bigint) as errors,
        cast(sum(completion_tokens) as bigint) as tokens, cast(sum(use_time_ms) as bigint) as time,
        cast(sum(first_token_ms) as bigint) as waited
      from usage_hours where channel_id in (${asked}) and hour >= ${start} and hour < ${end}
      group by channel_id`.execute(db),
  ]);
  return {
    all(wanted) {
      const own = new Set(wanted);
      const rows = hours.rows.filter(({ channel_id }) => own.has(channel_id));
      const [now, before] = [
        rows.filter(({ hour }) => hour >= start),
        rows.filter(({ hour }) => hour < start),
      ];
      const usedNow = used.rows.filter(({ channel_id }) => own.has(channel_id));
      return {
        ...outcomeOf(now),
        failed_calls: sum(usedNow.map(({ errors }) => errors)),
        before: outcomeOf(before),
        first_token: firstTokenPercentile(classesOf(now), HALF),
        speed: speedOf(usedNow),
        posts: postsOf(span, (at): ThingPost => {
          const within = now.filter(({ hour }) => hour >= at && hour < at + step);
          return {
            at,
            ...outcomeOf(within),
            first_token: firstTokenPercentile(classesOf(within), HALF),
          };
        }),
      };
    },
  };
}

interface UsedRow {
  channel_id: number;
  errors: number;
  tokens: number;
  time: number;
  waited: number;
}

/** Output tokens a second, without the time to the first token. */
export function speedOf(rows: readonly Pick<UsedRow, 'tokens' | 'time' | 'waited'>[]): number {
  const milliseconds = sum(rows.map(({ time, waited }) => Math.max(0, time - waited)));
  const tokens = sum(rows.map((row) => row.tokens));
  return milliseconds > 0 ? Math.round((tokens / milliseconds) * 10_000) / 10 : 0;
}
