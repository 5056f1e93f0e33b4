// The super admin lifts a suspension the system imposed, with a reason. The next money check suspends the account again if
// its ledger is still out of balance.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { requireBelow, targetUser } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

export function liftSuspension({
  store,
}: Pick<ManagementDependencies, 'store'>): Handler<typeof userManagement.lift> {
  return async ({ params: { id }, body: { reason } }, context) => {
    const caller = callerOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const target = await targetUser(store, transaction, id);
      requireBelow(caller, target);
      if (target.status !== USER_STATUS.suspended) throw new AppError('user_not_suspended');
      await changeUser(transaction, id, { status: USER_STATUS.activated, suspended_reason: '' });
      const { suspended_reason } = target;
      await context.audit(transaction, 'user.lift', `user:${id}`, { suspended_reason }, { reason });
    });
    await store.changes.announce('users', String(id));
    return await oneManagedUser(store.db, caller, id);
  };
}
