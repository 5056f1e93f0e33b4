// Lists and searches the caller's own tokens, with counts and sums over the whole filter.
import type { RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { TOKEN_NEVER_EXPIRES, TOKEN_STATUS, type tokens } from '#contract/admin/tokens.ts';
import { sql } from 'kysely';
import type { TokenDependencies } from './dependencies.ts';
import { statusExpression } from '#server/admin/token-status.ts';
import { matching, type TokenQuery } from './filter.ts';
import type { KeyReadings } from '#server/admin/key-readings.ts';
import { reachOf } from './reach.ts';
import { recentStart } from './usage.ts';
import { tokenViews } from './view.ts';

const integerSum = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

export function listTokens(dependencies: TokenDependencies, readings: KeyReadings) {
  return async (
    { query }: { query: TokenQuery },
    context: RequestContext,
  ): Promise<Output<typeof tokens.list>> => {
    const reach = reachOf(context);
    const now = nowSeconds(dependencies);
    const { db, vault } = dependencies.store;
    const pageSize = pageSizeOf(query);
    const matches = matching(reach, query, now, vault);

    const [rows, totals, recent] = await Promise.all([
      db
        .selectFrom('tokens')
        .selectAll()
        .where(matches)
        .orderBy(sortExpression(query.sort), query.order ?? 'desc')
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset(query.p * pageSize)
        .execute(),
      db
        .selectFrom('tokens')
        .select([
          (builder) => builder.fn.countAll<number>().as('total'),
          integerSum('used_quota').as('used_quota'),
          sql<number>`count(case when ${statusExpression(now)} = ${sql.lit(TOKEN_STATUS.enabled)} then 1 end)`.as(
            'usable',
          ),
        ])
        .where(matches)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('usage_hours')
        .select(integerSum('quota').as('quota'))
        .where('user_id', '=', reach.userId)
        .where('hour', '>=', recentStart(dependencies.settings.current.SiteTimeZone, now))
        .where('token_id', 'in', db.selectFrom('tokens').select('id').where(matches))
        .executeTakeFirstOrThrow(),
    ]);

    if (rows.length > 0) await readings.record(context, now);
    return {
      data: await tokenViews(dependencies, context, reach.userId, rows),
      total: totals.total,
      page: query.p,
      page_size: pageSize,
      used_quota: totals.used_quota,
      usable: totals.usable,
      recent_quota: recent.quota,
    };
  };
}

/** A token without an expiry is sorted last. */
function sortExpression(sort: TokenQuery['sort']) {
  if (sort !== 'expired_time') return sql.ref<string | number>(sort ?? 'id');
  return sql<number>`case when expired_time = ${sql.lit(TOKEN_NEVER_EXPIRES)} then ${sql.lit(Number.MAX_SAFE_INTEGER)} else expired_time end`;
}
