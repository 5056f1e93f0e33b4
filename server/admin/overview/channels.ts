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
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { type OverviewDependencies } from './dependencies.ts';

const CLASSES = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);

interface HourRow {
  channel_id: number;
  hour: number;
  attempts: number;
  failures: number;
}
/** Of 24 hours: attempts, failures, and streams by the class of their first token. */
type TotalRow = { channel_id: number; attempts: number; failures: number } & Record<string, number>;

/** The first second of the first of the last hours. */
export const postsStart = (now: number): number => now - (now % HOUR_SECONDS) - (POSTS - 1) * HOUR_SECONDS;

export const emptyPosts = (): Post[] => Array.from({ length: POSTS }, () => ({ calls: 0, failures: 0 }));

export async function readChannels(
  dependencies: OverviewDependencies,
): Promise<Pick<OperatorOverview, 'channels' | 'channel_count' | 'posts_start'>> {
  const { db } = dependencies.store;
  const posts_start = postsStart(nowSeconds(dependencies));
  const total = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
  const [rows, totals] = await Promise.all([
    db
      .selectFrom('channels')
      .select(['id', 'name', 'type', 'status', 'other_info'])
      .where('deleted_at', 'is', null)
      .execute(),
    // The sum with 0 keeps SQLite from reading every hour there ever was, in the order of the channels.
    sql<TotalRow>`select channel_id + 0 as channel_id, ${sql.join(['attempts', 'failures', ...CLASSES].map(total))}
      from channel_hours where hour >= ${posts_start} group by 1`.execute(db),
  ]);
  const totalOf = new Map(totals.rows.map((row) => [row.channel_id, row]));
  const offFirst = ({ status }: { status: number }) => (status === CHANNEL_STATUS.autoDisabled ? 0 : 1);
  const attemptsOf = ({ id }: { id: number }) => totalOf.get(id)?.attempts ?? 0;
  const shown = rows
    .toSorted(
      (left, right) =>
        offFirst(left) - offFirst(right) || attemptsOf(right) - attemptsOf(left) || left.id - right.id,
    )
    .slice(0, OVERVIEW_CHANNELS);
  const hours = await readHours(
    dependencies,
    shown.map(({ id }) => id),
    posts_start,
  );
  return {
    posts_start,
    channel_count: rows.length,
    channels: shown.map(({ other_info, ...row }): OverviewChannel => {
      const isOff = row.status === CHANNEL_STATUS.autoDisabled;
      const off_since = isOff ? (channelOtherInfo(other_info).status_time ?? 0) : 0;
      return { ...row, off_since, ...figuresOf(hours.get(row.id) ?? [], totalOf.get(row.id), posts_start) };
    }),
  };
}

/** Only of the channels that are shown: a site may have hundreds. */
async function readHours(
  { store: { db } }: OverviewDependencies,
  ids: readonly number[],
  start: number,
): Promise<Map<number, HourRow[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<HourRow>`select channel_id, hour, attempts, failures from channel_hours
    where channel_id in (${sql.join([...ids])}) and hour >= ${start}`.execute(db);
  return Map.groupBy(rows, ({ channel_id }) => channel_id);
}

function figuresOf(
  hours: readonly HourRow[],
  classes: TotalRow | undefined,
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
