// One action on many tokens, in one statement. Tokens it cannot be applied to are unchanged and listed in the response.
import { callerOf, type Caller, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Input } from '#contract/endpoint.ts';
import {
  TOKEN_NEVER_EXPIRES,
  TOKEN_RESTORE_SECONDS,
  TOKEN_STATUS,
  type tokens,
} from '#contract/admin/tokens.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import { refuseTooMany } from './limit.ts';

type Action = Input<typeof tokens.batch>['body']['action'];

export function batchTokens(dependencies: TokenDependencies): Handler<typeof tokens.batch> {
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const { store } = dependencies;
    const now = nowSeconds(dependencies);
    const { known, changed } = await store.db.transaction().execute(async (transaction) => {
      const own = await ownIds(transaction, caller, body.ids, body.action);
      if (own.length === 0) return { known: own, changed: [] };
      if (body.action === 'restore') {
        await refuseTooMany(store.dialect, transaction, caller.id, own.length);
      }
      const ids = await apply(transaction, caller, own, body.action, now);
      if (ids.length > 0)
        await context.audit(transaction, `token.${body.action}`, `user:${caller.id}`, undefined, { ids });
      return { known: own, changed: ids };
    });
    // One announcement without an id: any token may have changed.
    if (changed.length > 0) await store.changes.announce('tokens');
    return { changed, refused: known.filter((id) => !changed.includes(id)) };
  };
}

async function ownIds(
  transaction: Transaction<Schema>,
  caller: Caller,
  ids: readonly number[],
  action: Action,
): Promise<number[]> {
  const rows = await transaction
    .selectFrom('tokens')
    .select('id')
    .where('id', 'in', ids)
    .where('user_id', '=', caller.id)
    .where('deleted_at', action === 'restore' ? 'is not' : 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

async function apply(
  transaction: Transaction<Schema>,
  caller: Caller,
  ids: readonly number[],
  action: Action,
  now: number,
): Promise<number[]> {
  const update = transaction
    .updateTable('tokens')
    .where('id', 'in', ids)
    .where('user_id', '=', caller.id)
    .returning('id');
  const statements = {
    disable: () => update.set({ status: TOKEN_STATUS.disabled }),
    delete: () => update.set({ deleted_at: now }),
    restore: () => update.set({ deleted_at: null }).where('deleted_at', '>=', now - TOKEN_RESTORE_SECONDS),
    enable: () =>
      update
        .set({ status: TOKEN_STATUS.enabled })
        .where(({ eb }) => eb('unlimited_quota', '=', 1).or('remain_quota', '>', 0))
        .where(({ eb }) => eb('expired_time', '=', TOKEN_NEVER_EXPIRES).or('expired_time', '>', now)),
  };
  const rows = await statements[action]().execute();
  return rows.map((row) => row.id).sort((left, right) => left - right);
}
