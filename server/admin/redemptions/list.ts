// Lists and searches codes.
import type { RequestContext } from '#server/admin/context.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import {
  REDEMPTION_KEY_LENGTH,
  REDEMPTION_NEVER_EXPIRES,
  REDEMPTION_STATUS,
  redemptionKeyOf,
  type RedemptionState,
  type redemptions,
} from '#contract/money/redemptions.ts';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { KeyReadings } from '#server/admin/key-readings.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { codeDigest } from './key.ts';
import { codeView, shownCodes } from './view.ts';

type ListQuery = Input<typeof redemptions.list>['query'] & { keyword?: string };
type Builder = ExpressionBuilder<Schema, 'redemptions'>;

export function listCodes(dependencies: RedemptionDependencies, readings: KeyReadings) {
  const { store } = dependencies;
  return async (
    { query }: { query: ListQuery },
    context: RequestContext,
  ): Promise<Output<typeof redemptions.list>> => {
    const now = nowSeconds(dependencies);
    const pageSize = pageSizeOf(query);
    const matches = (builder: Builder) => matching(builder, query, now, store.vault);
    const [rows, { total }] = await Promise.all([
      shownCodes(store.db)
        .where(matches)
        .orderBy(`redemptions.${query.sort ?? 'id'}`, query.order ?? 'desc')
        .orderBy('redemptions.id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      store.db
        .selectFrom('redemptions')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where('deleted_at', 'is', null)
        .where(matches)
        .executeTakeFirstOrThrow(),
    ]);
    if (rows.length > 0) await readings.record(context, now);
    const items = rows.map((row) => codeView(store, context, row));
    return { items, total, page: query.p, page_size: pageSize };
  };
}

function matching(builder: Builder, query: ListQuery, now: number, vault: Vault): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [];
  if (query.batch) conditions.push(builder('redemptions.batch', '=', query.batch));
  if (query.state) conditions.push(sql<SqlBool>`${stateExpression(now)} = ${query.state}`);
  if (query.keyword) conditions.push(mentions(builder, query.keyword, vault));
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : builder.and(conditions);
}

/** `redemptionStateAt` in SQL. */
export function stateExpression(now: number) {
  const when = (status: number, state: RedemptionState) =>
    sql`when redemptions.status = ${sql.lit(status)} then ${sql.lit(state)}`;
  return sql<RedemptionState>`case ${when(REDEMPTION_STATUS.used, 'used')}
    ${when(REDEMPTION_STATUS.disabled, 'disabled')}
    when redemptions.expired_time <> ${sql.lit(REDEMPTION_NEVER_EXPIRES)}
      and redemptions.expired_time <= ${sql.lit(now)} then 'expired' else 'unused' end`;
}

/** The id, a part of the name, or a whole code; a part of a code cannot be searched in digests. */
function mentions(builder: Builder, keyword: string, vault: Vault): Expression<SqlBool> {
  const places = [containsText('redemptions.name', keyword)];
  const id = Number(keyword);
  if (/^\d+$/.test(keyword) && Number.isSafeInteger(id)) places.push(builder('redemptions.id', '=', id));
  const code = redemptionKeyOf(keyword);
  if (code.length === REDEMPTION_KEY_LENGTH)
    places.push(builder('redemptions.key_digest', '=', codeDigest(vault, code)));
  return builder.or(places);
}
