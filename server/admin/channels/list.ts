// Lists and searches channels. In tag mode a page holds tags with all their channels, and untagged channels after them.
import { nowSeconds } from '#server/admin/clock.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { todayStart } from '#contract/site-day.ts';
import { sql, type Expression, type ExpressionBuilder, type OrderByItemBuilder, type SqlBool } from 'kysely';
import { containsText } from '#server/platform/store/like.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { firstHourOf, meanClass } from './health.ts';
import { channelViews } from './view.ts';

type Query = Input<typeof channels.list>['query'] &
  Partial<Pick<Input<typeof channels.search>['query'], 'keyword' | 'group' | 'model'>>;
type Builder = ExpressionBuilder<Schema, 'channels'>;

/** In tag mode a tag is one entry of the list, and so is an untagged channel. */
const ENTRY = sql<string>`case when coalesce(tag, '') = '' then '#' || id else '=' || tag end`;

export function listChannels(dependencies: ChannelDependencies) {
  return async ({ query }: { query: Query }): Promise<Output<typeof channels.list>> => {
    const { db } = dependencies.store;
    const matches = matching(dependencies, query);
    const today = todayStart(dependencies.settings.current.SiteTimeZone, nowSeconds(dependencies));
    const countOf = (status: number) => sql<number>`count(case when status = ${sql.lit(status)} then 1 end)`;
    const [totals, used] = await Promise.all([
      db
        .selectFrom('channels')
        .select([
          (builder) => builder.fn.countAll<number>().as('total'),
          sql<number>`count(distinct ${ENTRY})`.as('entries'),
          countOf(CHANNEL_STATUS.enabled).as('enabled'),
          countOf(CHANNEL_STATUS.disabled).as('disabled'),
          countOf(CHANNEL_STATUS.autoDisabled).as('auto_disabled'),
        ])
        .where(matches)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('usage_hours')
        .select(sql<number>`cast(coalesce(sum(quota), 0) as bigint)`.as('quota'))
        .where('hour', '>=', today)
        .where('channel_id', 'in', db.selectFrom('channels').select('id').where(matches))
        .executeTakeFirstOrThrow(),
    ]);
    const { entries, ...counts } = totals;
    const rows = query.tag_mode
      ? await pageOfTags(dependencies, query)
      : await pageOfRows(dependencies, query);
    return {
      data: await channelViews(dependencies, rows),
      ...counts,
      total: query.tag_mode ? entries : counts.total,
      page: query.p,
      page_size: pageSizeOf(query),
      today_quota: used.quota,
    };
  };
}

type Sort = NonNullable<Query['sort']>;

/** Null for a channel without attempts or streams in the last day. */
function sortExpression(sort: Sort, now: number): Expression<unknown> {
  const since = firstHourOf(now);
  const inDay = sql`from channel_hours where channel_id = channels.id and hour >= ${since}`;
  if (sort === 'success') return sql`(select 1.0 - sum(failures) * 1.0 / nullif(sum(attempts), 0) ${inDay})`;
  if (sort === 'first_token') return sql`(select ${meanClass} ${inDay})`;
  return sort === 'name' ? sql`lower(name)` : sql.ref(sort);
}

/** Channels without a figure come last in both directions, on both databases. */
const nullsLast = (order: 'asc' | 'desc') => (builder: OrderByItemBuilder) =>
  (order === 'asc' ? builder.asc() : builder.desc()).nullsLast();

function pageOfRows(dependencies: ChannelDependencies, query: Query): Promise<Row<'channels'>[]> {
  const pageSize = pageSizeOf(query);
  const { sort, order } = query;
  const rows = dependencies.store.db.selectFrom('channels').selectAll().where(matching(dependencies, query));
  const sorted =
    sort === undefined
      ? ordered(rows, query.id_sort)
      : rows.orderBy(sortExpression(sort, nowSeconds(dependencies)), nullsLast(order)).orderBy('id', 'desc');
  return sorted
    .limit(pageSize)
    .offset(query.p * pageSize)
    .execute();
}

async function pageOfTags(dependencies: ChannelDependencies, query: Query): Promise<Row<'channels'>[]> {
  const pageSize = pageSizeOf(query);
  const matches = matching(dependencies, query);
  const { db } = dependencies.store;
  const page = await db
    .selectFrom('channels')
    .select([
      ENTRY.as('entry'),
      sql<number>`min(case when coalesce(tag, '') = '' then 1 else 0 end)`.as('is_untagged'),
      sql<number>`max(priority)`.as('top_priority'),
      sql<number>`max(id)`.as('newest'),
    ])
    .where(matches)
    .groupBy('entry')
    .orderBy('is_untagged')
    .orderBy(query.id_sort ? 'newest' : 'top_priority', 'desc')
    .orderBy('newest', 'desc')
    .limit(pageSize)
    .offset(query.p * pageSize)
    .execute();
  if (page.length === 0) return [];
  const places = new Map(page.map(({ entry }, place) => [entry, place]));
  const found = await ordered(
    db
      .selectFrom('channels')
      .selectAll()
      .select(ENTRY.as('entry'))
      .where(matches)
      .where(ENTRY, 'in', [...places.keys()]),
    query.id_sort,
  ).execute();
  return found
    .map(({ entry, ...row }) => ({ row, place: places.get(entry) ?? 0 }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ row }) => row);
}

function ordered<Select extends { orderBy(column: 'id' | 'priority', direction: 'desc'): Select }>(
  select: Select,
  byId: boolean,
): Select {
  return byId ? select.orderBy('id', 'desc') : select.orderBy('priority', 'desc').orderBy('id', 'desc');
}

function matching(dependencies: ChannelDependencies, query: Query) {
  return (builder: Builder): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [builder('deleted_at', 'is', null)];
    if (query.status !== undefined) conditions.push(builder('status', '=', query.status));
    if (query.type !== undefined) conditions.push(builder('type', '=', query.type));
    if (query.tag) conditions.push(builder('tag', '=', query.tag));
    if (query.keyword) conditions.push(keywordMatches(dependencies, builder, query.keyword));
    if (query.model) conditions.push(containsText('models', query.model));
    if (query.group)
      conditions.push(containsText(sql`',' || ${sql.ref('group')} || ','`, `,${query.group},`));
    return builder.and(conditions);
  };
}

function keywordMatches(
  dependencies: ChannelDependencies,
  builder: Builder,
  keyword: string,
): Expression<SqlBool> {
  // As the console writes ids; a bare number may also be a part of names.
  const [, exact] = /^#(\d{1,15})$/.exec(keyword) ?? [];
  if (exact !== undefined) return builder('id', '=', Number(exact));
  const id = /^\d{1,15}$/.test(keyword) ? [builder('id', '=', Number(keyword))] : [];
  const digest = dependencies.store.vault.digest('channel', keyword);
  // The last characters as the console shows them, alone or behind the dots of a masked key.
  const [, last] = /(?:^|…|\.{2,}|\*)([\x21-\x7e]{4})$/.exec(keyword) ?? [];
  const hint = last === undefined ? [] : [builder('key_hint', '=', last)];
  return builder.or([...id, containsText('name', keyword), builder('key_digest', '=', digest), ...hint]);
}
