// Who may act on whom: only on somebody below. Equals are closed even to the super admin, so the own account and the last
// super admin are safe without a rule of their own.
import { isRoot } from '#contract/access.ts';
import type { Caller } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Transaction } from 'kysely';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

export function outranks(caller: Caller, target: { role: number }): boolean {
  return target.role < caller.role;
}

/** The own account is no secret to its owner. */
export function maySee(caller: Caller, target: { id: number; role: number }): boolean {
  return outranks(caller, target) || target.id === caller.id;
}

/** The user to act on, locked until the transaction ends; a deleted one cannot be acted on. */
export async function targetUser(
  { dialect }: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'users'>> {
  const query = transaction.selectFrom('users').selectAll().where('id', '=', id);
  const row = await (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  if (!row) throw new AppError('user_unavailable');
  if (row.deleted_at !== null) throw new AppError('user_is_deleted');
  return row;
}

export function requireBelow(caller: Caller, target: { role: number }): void {
  if (!outranks(caller, target)) throw new AppError('user_not_manageable');
}

/** What the users of a level may never have done to them says so in its own words. */
export function refuseOnRoot(
  target: { role: number },
  code: 'root_not_disabled' | 'root_not_deleted' | 'root_not_demoted',
): void {
  if (isRoot(target.role)) throw new AppError(code);
}
