// Creates one token or a batch; all of a batch or none of it.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import {
  batchTokenName,
  TOKEN_DEFAULTS,
  TOKEN_STATUS,
  TOKEN_SUFFIX_LENGTH,
  type tokens,
} from '#contract/admin/tokens.ts';
import type { Transaction } from 'kysely';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import { tokenColumns } from './fields.ts';
import { keyDigest, keyHint, newKey, randomAlphanumeric, sealKey } from './key.ts';
import { refuseTooMany } from './limit.ts';
import { tokenViews } from './view.ts';

export function createTokens(dependencies: TokenDependencies): Handler<typeof tokens.create> {
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const { count = 1, suffixes = [], ...fields } = body;
    const wanted = { ...TOKEN_DEFAULTS, ...fields, name: fields.name ?? '' };
    const columns = tokenColumns(dependencies, caller, wanted);
    const { vault, db } = dependencies.store;
    const now = nowSeconds(dependencies);

    const keys = new Map<string, string>();
    const rows: NewRow<'tokens'>[] = batchNames(columns.name ?? '', count, suffixes).map((name) => {
      const key = newKey();
      const digest = keyDigest(vault, key);
      keys.set(digest, key);
      return {
        ...columns,
        name,
        user_id: caller.id,
        status: TOKEN_STATUS.enabled,
        remain_quota: wanted.remain_quota,
        created_time: now,
        key_digest: digest,
        key_hint: keyHint(key),
        deleted_at: null,
      };
    });

    const created = await db.transaction().execute(async (transaction) => {
      await refuseTooMany(dependencies.store.dialect, transaction, caller.id, rows.length);
      const inserted = await transaction
        .insertInto('tokens')
        .values(rows)
        .returning(['id', 'key_digest'])
        .execute();
      // The sealed key is bound to the id, which exists only after the insert.
      const sealed = inserted.map((row) => ({
        id: row.id,
        sealed: sealKey(vault, keys.get(row.key_digest) ?? '', row.id, caller.id),
      }));
      const stored = await storeSealedKeys(transaction, sealed);
      await context.audit(transaction, 'token.create', `user:${caller.id}`, undefined, {
        ids: stored.map((row) => row.id),
        name: columns.name,
        remain_quota: wanted.remain_quota,
        unlimited_quota: wanted.unlimited_quota,
        group: wanted.group,
      });
      return stored;
    });
    return tokenViews(dependencies, context, caller.id, created);
  };
}

/** The first has the plain name, the others get different suffixes: those that were asked for, then random ones. */
export function batchNames(name: string, count: number, suffixes: readonly string[] = []): string[] {
  const asked = suffixes.slice(0, count - 1).map((suffix) => batchTokenName(name, suffix));
  const names = new Set([name, ...asked]);
  while (names.size < count) names.add(batchTokenName(name, randomAlphanumeric(TOKEN_SUFFIX_LENGTH)));
  return [...names];
}

/** One statement for the whole batch instead of up to a hundred round trips. */
async function storeSealedKeys(
  transaction: Transaction<Schema>,
  keys: readonly { id: number; sealed: string }[],
): Promise<Row<'tokens'>[]> {
  const rows = await transaction
    .updateTable('tokens')
    .set((builder) => {
      const [first, ...rest] = keys;
      let chosen = builder
        .case('id')
        .when(first?.id ?? 0)
        .then(first?.sealed ?? '');
      for (const key of rest) chosen = chosen.when(key.id).then(key.sealed);
      return { key_sealed: chosen.else('').end() };
    })
    .where(
      'id',
      'in',
      keys.map((key) => key.id),
    )
    .returningAll()
    .execute();
  return rows.sort((left, right) => left.id - right.id);
}
