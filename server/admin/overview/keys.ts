// The caller's keys that were used last, with their last 24 hours.
import { sql } from 'kysely';
import { OVERVIEW_KEYS, POSTS, type CustomerOverview } from '#contract/admin/overview.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { addDays, dayStart, siteDay } from '#contract/site-day.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { emptyPosts, postsStart } from './channels.ts';
import { type OverviewDependencies } from './dependencies.ts';

const WEEK_DAYS = 7;

export async function readKeys(
  dependencies: OverviewDependencies,
  userId: number,
): Promise<Pick<CustomerOverview, 'keys' | 'key_count' | 'posts_start'>> {
  const { db } = dependencies.store;
  const now = nowSeconds(dependencies);
  const zone = dependencies.settings.current.SiteTimeZone;
  const today = siteDay(zone, now);
  const [todayStart, weekStart] = [dayStart(zone, today), dayStart(zone, addDays(today, 1 - WEEK_DAYS))];
  const posts_start = postsStart(now);
  const own = db.selectFrom('tokens').where('user_id', '=', userId).where('deleted_at', 'is', null);
  const [tokens, { count }] = await Promise.all([
    own
      .select([
        'id',
        'name',
        'group',
        'accessed_time',
        'expired_time',
        'unlimited_quota',
        'used_quota',
        'remain_quota',
      ])
      .where('status', '=', TOKEN_STATUS.enabled)
      .orderBy('accessed_time', 'desc')
      .orderBy('id', 'desc')
      .limit(OVERVIEW_KEYS)
      .execute(),
    own.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow(),
  ]);
  if (tokens.length === 0) return { keys: [], key_count: count, posts_start };
  const total = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint)`;
  const { rows } = await sql<{
    token_id: number;
    hour: number;
    quota: number;
    count: number;
    failures: number;
  }>`
    select token_id, hour, ${total('quota')} as quota, ${total('count')} as count, ${total('error_count')} as failures
    from usage_hours where token_id in (${sql.join(tokens.map(({ id }) => id))}) and user_id = ${userId}
      and hour >= ${Math.min(posts_start, weekStart)} group by token_id, hour`.execute(db);
  const hoursOf = Map.groupBy(rows, ({ token_id }) => token_id);
  const keys = tokens.map((token) => {
    const posts = emptyPosts();
    let [day, week] = [0, 0];
    for (const { hour, quota, count: calls, failures } of hoursOf.get(token.id) ?? []) {
      const post = posts[(hour - posts_start) / HOUR_SECONDS];
      if (post !== undefined && (hour - posts_start) / HOUR_SECONDS < POSTS) {
        post.calls += calls;
        post.failures += failures;
      }
      if (hour >= todayStart) day += quota;
      if (hour >= weekStart) week += quota;
    }
    return {
      id: token.id,
      name: token.name,
      group: token.group,
      posts,
      last_used_at: token.accessed_time,
      today: day,
      week,
      limit:
        token.unlimited_quota === 1
          ? null
          : { used: token.used_quota, total: token.used_quota + token.remain_quota },
      expires_at: Math.max(0, token.expired_time),
    };
  });
  return { keys, key_count: count, posts_start };
}
