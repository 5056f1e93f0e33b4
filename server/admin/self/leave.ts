// A user deletes their own account: the row is marked deleted, and sessions, access token, API tokens and passkeys stop
// working at once. The row stays with its ledger, so the name cannot be registered again; the balance is not paid out, and
// plans end. A payment that arrives later is paid back (server/money/payments/deleted-payer.ts).
import type { self } from '#contract/admin/self.ts';
import { isRoot } from '#contract/access.ts';
import { endPlansOf, readAccountLeft } from '#server/admin/account-left.ts';
import { changeAndSignOut, lockedUser } from '#server/admin/accounts.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { unixSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { SelfDependencies } from './dependencies.ts';

export function leave({
  store,
  ledger,
  forgetKeys,
  forgetChats,
}: Pick<SelfDependencies, 'store' | 'ledger' | 'forgetKeys' | 'forgetChats'>): Handler<typeof self.remove> {
  return async (_, context) => {
    const { id, role, username } = callerOf(context);
    if (isRoot(role)) throw new AppError('root_cannot_leave');
    const left = await store.db.transaction().execute(async (transaction) => {
      await lockedUser(store, transaction, id);
      const before = await readAccountLeft(transaction, id);
      await endPlansOf({ store, ledger }, transaction, id);
      await changeAndSignOut(transaction, id, { deleted_at: unixSeconds() });
      await forgetKeys(transaction, id);
      await forgetChats(transaction, id);
      await context.endSession(transaction);
      await context.audit(transaction, 'user.leave', `user:${id}`, { username }, { left: before });
      return before;
    });
    await store.changes.announce('users', String(id));
    return left;
  };
}
