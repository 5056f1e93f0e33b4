// For a user who lost their device: removes authenticator, recovery codes, passkeys and all sessions. Passkeys stay where
// the user has no other way to sign in.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { changeAndSignOut, requireStepUp } from '#server/admin/accounts.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { requireBelow, targetUser } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

export function resetTwoFactor({
  store,
  ownerLetters,
  resetKeys,
}: Pick<ManagementDependencies, 'store' | 'ownerLetters' | 'resetKeys'>): Handler<
  typeof userManagement.resetTwoFactor
> {
  return async ({ params: { id } }, context) => {
    const caller = callerOf(context);
    requireStepUp(context);
    await store.db.transaction().execute(async (transaction) => {
      const target = await targetUser(store, transaction, id);
      requireBelow(caller, target);
      const removed = await resetKeys(transaction, target);
      await changeAndSignOut(transaction, id, {});
      const letter = removed.passkeys_kept > 0 ? 'two_factor_reset_only' : 'two_factor_reset';
      await ownerLetters.put(transaction, id, letter);
      await context.audit(transaction, 'user.reset_two_factor', `user:${id}`, undefined, removed);
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    return await oneManagedUser(store.db, caller, id);
  };
}
