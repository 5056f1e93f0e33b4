// Somebody has lost the device that proves who they are: authenticator, recovery codes and passkeys go, and so do the
// sessions that were opened with them. What is left signs in again, so passkeys stay where nothing would be left.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import type { userManagement } from '#contract/user-management.ts';
import type { ManagedUser } from '#contract/users.ts';
import { requireBelow, targetUser } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';
import { requireStepUp } from './step-up.ts';

export function resetTwoFactor({
  store,
  ownerLetters,
  resetKeys,
}: Pick<ManagementDependencies, 'store' | 'ownerLetters' | 'resetKeys'>) {
  return async (
    { params: { id } }: Input<typeof userManagement.resetTwoFactor>,
    context: RequestContext,
  ): Promise<ManagedUser> => {
    const caller = callerOf(context);
    requireStepUp(context);
    const forgotten = await store.db.transaction().execute(async (transaction) => {
      const target = await targetUser(store, transaction, id);
      requireBelow(caller, target);
      const removed = await resetKeys(transaction, target);
      await transaction
        .updateTable('users')
        .set((column) => ({ auth_version: column('auth_version', '+', 1) }))
        .where('id', '=', id)
        .execute();
      await transaction.deleteFrom('sessions').where('user_id', '=', id).execute();
      const letter = removed.passkeys_kept > 0 ? 'two_factor_reset_only' : 'two_factor_reset';
      await ownerLetters.put(transaction, id, letter);
      return removed;
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    await context.audit('user.reset_two_factor', `user:${id}`, undefined, forgotten);
    return await oneManagedUser(store.db, caller, id);
  };
}
