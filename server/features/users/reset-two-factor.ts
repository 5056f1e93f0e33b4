// Somebody has lost the device that proves who they are: authenticator, recovery codes and passkeys go, and so do the
// sessions that were opened with them. The password alone signs in again.
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
  forgetKeys,
}: Pick<ManagementDependencies, 'store' | 'ownerLetters' | 'forgetKeys'>) {
  return async (
    { params: { id } }: Input<typeof userManagement.resetTwoFactor>,
    context: RequestContext,
  ): Promise<ManagedUser> => {
    const caller = callerOf(context);
    requireStepUp(context);
    const forgotten = await store.db.transaction().execute(async (transaction) => {
      requireBelow(caller, await targetUser(store, transaction, id));
      const removed = await forgetKeys(transaction, id);
      await transaction
        .updateTable('users')
        .set((column) => ({ auth_version: column('auth_version', '+', 1) }))
        .where('id', '=', id)
        .execute();
      await transaction.deleteFrom('sessions').where('user_id', '=', id).execute();
      await ownerLetters.put(transaction, id, 'two_factor_reset');
      return removed;
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    await context.audit('user.reset_two_factor', `user:${id}`, undefined, forgotten);
    return await oneManagedUser(store.db, caller, id);
  };
}
