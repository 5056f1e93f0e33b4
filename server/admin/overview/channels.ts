// Every channel with its attempts of the last 24 hours, by the hour.
import { sql } from 'kysely';
import {
  OVERVIEW_CHANNELS,
  POSTS,
  type OperatorOverview,
  type OverviewChannel,
  type Post,
} from '#contract/admin/overview.ts';
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { FIRST_TOKEN_LIMITS, firstTokenPercentile } from '#contract/relay/channel-health.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { HOUR_SECONDS, type OverviewDependencies } from './dependencies.ts';

const CLASSES = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);

interface HourRow {
  channel_id: number;
  hour: number;
  attempts: number;
  failures: number;
}
/** Streams by the class of their first token. */
type ClassRow = { channel_id: number } & Record<string, number>;

/** The first second of the first of the last hours. */
export const postsStart = (now: number): number => now - (now % HOUR_SECONDS) - (POSTS - 1) * HOUR_SECONDS;

export const emptyPosts = (): Post[] => Array.from({ length: POSTS }, () => ({ calls: 0, failures: 0 }));

export async function readChannels(
  dependencies: OverviewDependencies,
): Promise<Pick<OperatorOverview, 'channels' | 'channel_count' | 'posts_start'>> {
  const { db } = dependencies.store;
  const posts_start = postsStart(nowSeconds(dependencies));
  const [rows, hours, classes] = await Promise.all([
    db
      .selectFrom('channels')
      .select(['id', 'name', 'type', 'status', 'other_info'])
      .where('deleted_at', 'is', null)
      .execute(),
    sql<HourRow>`select channel_id, hour, attempts, failures from channel_hours
      where hour >= ${posts_start}`.execute(db),
    sql<ClassRow>`select channel_id, ${sql.join(CLASSES.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`))}
      from channel_hours where hour >= ${posts_start} group by channel_id`.execute(db),
  ]);
  const hoursOf = Map.groupBy(hours.rows, ({ channel_id }) => channel_id);
  const classesOf = new Map(classes.rows.map((row) => [row.channel_id, row]));
  const channels = rows.map(({ other_info, ...row }): OverviewChannel => {
    const isOff = row.status === CHANNEL_STATUS.autoDisabled;
    const off_since = isOff ? (channelOtherInfo(other_info).status_time ?? 0) : 0;
    return { ...row, off_since, ...figuresOf(hoursOf.get(row.id) ?? [], classesOf.get(row.id), posts_start) };
  });
  const offFirst = ({ status }: OverviewChannel) => (status === CHANNEL_STATUS.autoDisabled ? 0 : 1);
  return {
    posts_start,
    channel_count: channels.length,
    channels: channels
      .toSorted(
        (left, right) =>
          offFirst(left) - offFirst(right) ||
          right.calls + right.failures - left.calls - left.failures ||
          left.id - right.id,
      )
      .slice(0, OVERVIEW_CHANNELS),
  };
}

function figuresOf(
  hours: readonly HourRow[],
  classes: ClassRow | undefined,
  start: number,
): Pick<OverviewChannel, 'posts' | 'calls' | 'failures' | 'first_token_p50'> {
  const posts = emptyPosts();
  for (const row of hours) {
    const post = posts[(row.hour - start) / HOUR_SECONDS];
    if (post === undefined) continue;
    post.calls += row.attempts - row.failures;
    post.failures += row.failures;
  }
  return {
    posts,
    calls: posts.reduce((sum, { calls }) => sum + calls, 0),
    failures: posts.reduce((sum, { failures }) => sum + failures, 0),
    first_token_p50: firstTokenPercentile(
      CLASSES.map((name) => classes?.[name] ?? 0),
      0.5,
    ),
  };
}
