// The calls of a user or of one key in the last hours or days, from the hourly figures, as a page shows them.
import { sql } from 'kysely';
import type { PageUse } from '#contract/admin/page-parts.ts';
import { windowSpan, type ThingWindow } from '#contract/thing-window.ts';
import type { Store } from '#server/platform/store/store.ts';

const MOST_MODELS = 5;

/** Whose calls; a key's are those of its owner with it. */
export interface WhoseCalls {
  userId: number;
  tokenId?: number;
}

interface PostRow {
  start: number;
  calls: number;
  failures: number;
  quota: number;
}

export async function usagePosts(
  { db }: Pick<Store, 'db'>,
  { userId, tokenId }: WhoseCalls,
  window: ThingWindow,
  now: number,
): Promise<PageUse> {
  const { start, end, step, count } = windowSpan(window, now);
  const first = start - count * step;
  const whose =
    tokenId === undefined ? sql`user_id = ${userId}` : sql`user_id = ${userId} and token_id = ${tokenId}`;
  const [{ rows }, models] = await Promise.all([
    sql<PostRow>`
      select hour - (hour - ${sql.lit(first)}) % ${sql.lit(step)} as start, cast(sum(count) as bigint) as calls,
        cast(sum(error_count) as bigint) as failures, cast(sum(quota) as bigint) as quota
      from usage_hours where ${whose} and hour >= ${sql.lit(first)} and hour < ${sql.lit(end)} group by 1`.execute(
      db,
    ),
    sql<PageUse['models'][number]>`
      select model_name, cast(sum(quota) as bigint) as quota, cast(sum(count) as bigint) as count
      from usage_hours where ${whose} and hour >= ${sql.lit(start)} and hour < ${sql.lit(end)}
      group by model_name having sum(count) > 0
      order by sum(quota) desc, model_name limit ${sql.lit(MOST_MODELS)}`.execute(db),
  ]);
  const byStart = new Map(rows.map((row) => [row.start, row]));
  const posts = Array.from({ length: count }, (_, index) => usedOf(byStart.get(start + index * step)));
  return {
    window,
    start,
    step,
    posts,
    total: sumOf(posts),
    before: sumOf(rows.filter((row) => row.start < start)),
    models: models.rows,
  };
}

type Used = PageUse['total'];

const usedOf = (row: PostRow | undefined): Used =>
  row === undefined
    ? { calls: 0, failures: 0, quota: 0 }
    : { calls: row.calls, failures: row.failures, quota: row.quota };

const sumOf = (rows: readonly Used[]): Used => ({
  calls: rows.reduce((sum, { calls }) => sum + calls, 0),
  failures: rows.reduce((sum, { failures }) => sum + failures, 0),
  quota: rows.reduce((sum, { quota }) => sum + quota, 0),
});
