// Keys that were found in the open. An administrator finds the token of a key, or reports many keys, and disables them; the
// owner is notified. Whole keys are looked up by their digest. Only users of a lower role, and the own keys, can be acted on.
import { callerOf, type Caller, type Handler, type RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import { FOUND_KEYS_MAX, type FoundKey, type KeyVerdict } from '#contract/admin/leaked-keys.ts';
import { TOKEN_STATUS, tokenStatusAt, type tokens } from '#contract/admin/tokens.ts';
import { invalidField } from '#contract/problem-words.ts';
import type { Kysely, Transaction } from 'kysely';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import { keyMatches } from './filter.ts';
import { keySearch, maskedKey } from './key.ts';

/** SQLite and PostgreSQL take a list of this length as parameters. */
const LOOKED_UP_AT_ONCE = 500;

function ownedTokens(db: Kysely<Schema>) {
  return db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'tokens.id',
      'tokens.name',
      'tokens.key_digest',
      'tokens.key_hint',
      'tokens.status',
      'tokens.expired_time',
      'tokens.remain_quota',
      'tokens.unlimited_quota',
      'tokens.deleted_at',
      'tokens.created_time',
      'tokens.accessed_time',
      'tokens.user_id',
      'users.username',
      'users.role',
      'users.deleted_at as user_deleted_at',
    ]);
}

type OwnedToken = Awaited<ReturnType<ReturnType<typeof ownedTokens>['executeTakeFirstOrThrow']>>;

const isManageable = (caller: Caller, { role, user_id }: OwnedToken): boolean =>
  role < caller.role || user_id === caller.id;

function foundKeyOf(caller: Caller, token: OwnedToken, now: number): FoundKey {
  return {
    token_id: token.id,
    name: token.name,
    key: maskedKey(token.key_hint),
    status: tokenStatusAt(token, now),
    deleted: token.deleted_at !== null || token.user_deleted_at !== null,
    created_time: token.created_time,
    accessed_time: token.accessed_time,
    user_id: token.user_id,
    username: token.username,
    manageable: isManageable(caller, token),
  };
}

export function findKey(dependencies: TokenDependencies): Handler<typeof tokens.find> {
  return async ({ body }, context) => {
    const { db, vault } = dependencies.store;
    if (!keySearch(vault, body.key)) throw invalidField('key', 'no_key');
    const caller = callerOf(context);
    const rows = await ownedTokens(db)
      .where('tokens.id', 'in', (inner) =>
        inner
          .selectFrom('tokens')
          .select('id')
          .where((builder) => keyMatches(builder, vault, body.key)),
      )
      .orderBy('tokens.id', 'desc')
      .limit(FOUND_KEYS_MAX)
      .execute();
    await context.auditEvent('token.find_key', `user:${caller.id}`, { ids: rows.map(({ id }) => id) });
    const now = nowSeconds(dependencies);
    return rows.map((row) => foundKeyOf(caller, row, now));
  };
}

export function disableLeaked(dependencies: TokenDependencies): Handler<typeof tokens.disable> {
  const { store } = dependencies;
  return async ({ params, body }, context) => {
    const caller = callerOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const row = await ownedTokens(transaction).where('tokens.id', '=', params.id).executeTakeFirst();
      if (!row) throw new AppError('not_found');
      if (!isManageable(caller, row)) throw new AppError('user_not_manageable');
      await disable(transaction, context, [row], body.reason);
    });
    await store.changes.announce('tokens', String(params.id));
    const row = await ownedTokens(store.db).where('tokens.id', '=', params.id).executeTakeFirstOrThrow();
    return foundKeyOf(caller, row, nowSeconds(dependencies));
  };
}

export function reportKeys(dependencies: TokenDependencies): Handler<typeof tokens.report> {
  const { store } = dependencies;
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const digests = body.keys.map((key) => {
      const search = keySearch(store.vault, key);
      return search && 'digest' in search ? search.digest : undefined;
    });
    const { found, disabled } = await store.db.transaction().execute(async (transaction) => {
      const known = await byDigest(
        transaction,
        digests.filter((digest) => digest !== undefined),
      );
      const active = [...known.values()].filter((token) => isManageable(caller, token) && isActive(token));
      return { found: known, disabled: await disable(transaction, context, active, body.reason) };
    });
    // One announcement without an id: any token may have changed.
    if (disabled.size > 0) await store.changes.announce('tokens');
    return digests.map((digest): KeyVerdict => {
      const token = digest === undefined ? undefined : found.get(digest);
      if (token === undefined) {
        const verdict = digest === undefined ? 'invalid' : 'unknown';
        return { verdict, token_id: 0, user_id: 0, key: '' };
      }
      const refused = isManageable(caller, token) ? 'inactive' : 'not_allowed';
      const verdict = disabled.has(token.id) ? 'disabled' : refused;
      return { verdict, token_id: token.id, user_id: token.user_id, key: maskedKey(token.key_hint) };
    });
  };
}

/** A deleted token can be restored for a while, so it is disabled too; the keys of a deleted user are dead. */
const isActive = ({ status, user_deleted_at }: OwnedToken): boolean =>
  status !== TOKEN_STATUS.disabled && user_deleted_at === null;

async function byDigest(db: Kysely<Schema>, digests: readonly string[]): Promise<Map<string, OwnedToken>> {
  const unique = [...new Set(digests)];
  const found = new Map<string, OwnedToken>();
  for (let from = 0; from < unique.length; from += LOOKED_UP_AT_ONCE) {
    const some = unique.slice(from, from + LOOKED_UP_AT_ONCE);
    const rows = await ownedTokens(db).where('tokens.key_digest', 'in', some).execute();
    for (const row of rows) found.set(row.key_digest, row);
  }
  return found;
}

/** Returns those that this call disabled: of two reports at the same time one notifies the owner. */
async function disable(
  transaction: Transaction<Schema>,
  context: RequestContext,
  wanted: readonly OwnedToken[],
  reason: string,
): Promise<Set<number>> {
  const ids = wanted.map(({ id }) => id).sort((left, right) => left - right);
  if (ids.length === 0) return new Set();
  const rows = await transaction
    .updateTable('tokens')
    .set({ status: TOKEN_STATUS.disabled })
    .where('id', 'in', ids)
    .where('status', '<>', TOKEN_STATUS.disabled)
    .returning('id')
    .execute();
  const disabled = new Set(rows.map(({ id }) => id));
  const changed = wanted.filter(({ id }) => disabled.has(id));
  for (const { user_id, name, key_hint } of changed) {
    const values = { token_name: name, key: maskedKey(key_hint), reason };
    await raiseNotice(transaction, { event: 'token_leaked', userId: user_id, values });
  }
  // Last: on PostgreSQL it locks the audit chain.
  for (const { id, user_id, status, key_hint } of changed) {
    const after = { status: TOKEN_STATUS.disabled, user_id, key: maskedKey(key_hint), reason };
    await context.audit(transaction, 'token.disable_leaked', `token:${id}`, { status }, after);
  }
  return disabled;
}
