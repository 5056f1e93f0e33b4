// An administrator may act only on users of a lower role. So no caller can act on their own account or on the super admin.
import { isRoot } from '#contract/access.ts';
import type { Caller } from '#contract/context.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { AppError } from '#contract/errors.ts';
import type { Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export function outranks(caller: Caller, target: { role: number }): boolean {
  return target.role < caller.role;
}

/** Users of a lower role, and the own account. */
export function maySee(caller: Caller, target: { id: number; role: number }): boolean {
  return outranks(caller, target) || target.id === caller.id;
}

/** The user to act on, locked until the transaction ends; refuses a deleted one. */
export async function targetUser(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'users'>> {
  const row = await lockRow(store, transaction, 'users', id);
  if (row?.kind !== 'person') throw new AppError('user_unavailable');
  if (row.deleted_at !== null) throw new AppError('user_is_deleted');
  return row;
}

export function requireBelow(caller: Caller, target: { role: number }): void {
  if (!outranks(caller, target)) throw new AppError('user_not_manageable');
}

/** Actions on the super admin have refusals of their own. */
export function refuseOnRoot(
  target: { role: number },
  code: 'root_not_disabled' | 'root_not_deleted' | 'root_not_demoted',
): void {
  if (isRoot(target.role)) throw new AppError(code);
}
