// The conditions of a token list. The owner is always one of them.
import type { Input } from '#contract/endpoint.ts';
import { TOKEN_NEVER_EXPIRES, type tokens } from '#contract/admin/tokens.ts';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { statusExpression } from '#server/admin/token-status.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { keySearch } from './key.ts';
import { isWithin, type TokenReach } from './reach.ts';

type ListQuery = Input<typeof tokens.list>['query'];
type SearchQuery = Input<typeof tokens.search>['query'];
export type TokenQuery = ListQuery & Partial<Pick<SearchQuery, 'keyword' | 'token' | 'either'>>;

type Builder = ExpressionBuilder<Schema, 'tokens'>;

const WEEK_SECONDS = 7 * 86_400;

export function matching(reach: TokenReach, query: TokenQuery, now: number, vault: Vault) {
  return (builder: Builder): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [isWithin(builder, reach), builder('deleted_at', 'is', null)];
    for (const column of ['member_id', 'service_account_id', 'project_id'] as const)
      if (query[column] !== undefined) conditions.push(builder(column, '=', query[column]));
    if (query.status !== undefined) conditions.push(builder(statusExpression(now), '=', query.status));
    if (query.group) conditions.push(inGroup(builder, query.group, reach.group));
    if (query.expiry) conditions.push(expiring(builder, query.expiry, now));
    if (query.keyword) conditions.push(containsText('name', query.keyword));
    if (query.token) conditions.push(keyMatches(builder, vault, query.token));
    if (query.either) {
      conditions.push(
        builder.or([containsText('name', query.either), keyMatches(builder, vault, query.either)]),
      );
    }
    return builder.and(conditions);
  };
}

function inGroup(builder: Builder, group: string, ownGroup: string): Expression<SqlBool> {
  const named = builder('group', '=', group);
  return group === ownGroup ? builder.or([named, builder('group', '=', '')]) : named;
}

function expiring(
  builder: Builder,
  expiry: NonNullable<TokenQuery['expiry']>,
  now: number,
): Expression<SqlBool> {
  const expires = builder('expired_time', '<>', TOKEN_NEVER_EXPIRES);
  const past = builder('expired_time', '<=', now);
  if (expiry === 'never') return builder.not(expires);
  if (expiry === 'expired') return builder.and([expires, past]);
  return builder.and([expires, builder.not(past), builder('expired_time', '<=', now + WEEK_SECONDS)]);
}

export function keyMatches(
  builder: ExpressionBuilder<Schema, 'tokens'>,
  vault: Vault,
  text: string,
): Expression<SqlBool> {
  const search = keySearch(vault, text);
  if (!search) return sql<SqlBool>`1 = 0`;
  if ('digest' in search) return builder('key_digest', '=', search.digest);
  const firstIs = (first: string) => builder(sql<string>`substr(key_hint, 1, 4)`, '=', first);
  const lastIs = (last: string) => builder(sql<string>`substr(key_hint, 5)`, '=', last);
  if ('side' in search) return builder.or([firstIs(search.side), lastIs(search.side)]);
  const { first, last } = search;
  return builder.and([
    ...(first === undefined ? [] : [firstIs(first)]),
    ...(last === undefined ? [] : [lastIs(last)]),
  ]);
}
