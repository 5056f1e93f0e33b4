// A user deletes their own account: the row is marked deleted, and sessions, access token, API tokens and passkeys stop
// working at once. The row stays with its ledger, so the name cannot be registered again; the balance is not paid out, and
// plans end. A payment that arrives later is paid back (server/money/payments/deleted-payer.ts).
import type { self } from '#contract/admin/self.ts';
import { isRoot } from '#contract/access.ts';
import { unixSeconds } from '#contract/time.ts';
import { endPlansOf, readAccountLeft } from '#server/admin/account-left.ts';
import { changeAndSignOut } from '#server/admin/accounts.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { SelfDependencies } from './dependencies.ts';

type LeaveParts = Pick<
  SelfDependencies,
  'store' | 'ledger' | 'forgetKeys' | 'forgetTexts' | 'leaveOrganizations'
>;

export function leave({
  store,
  ledger,
  forgetKeys,
  forgetTexts,
  leaveOrganizations,
}: LeaveParts): Handler<typeof self.remove> {
  return async (_, context) => {
    const { id, role, username } = callerOf(context);
    if (isRoot(role)) throw new AppError('root_cannot_leave');
    let organizations: number[] = [];
    const left = await store.db.transaction().execute(async (transaction) => {
      await lockRow(store, transaction, 'users', id);
      const before = await readAccountLeft(transaction, id);
      await endPlansOf({ store, ledger }, transaction, id);
      await changeAndSignOut(transaction, id, { deleted_at: unixSeconds() });
      await forgetKeys(transaction, id);
      await forgetTexts(transaction, id);
      await context.endSession(transaction);
      organizations = await leaveOrganizations(transaction, context, id);
      await context.audit(transaction, 'user.leave', `user:${id}`, { username }, { left: before });
      return before;
    });
    await store.changes.announce('users', String(id));
    for (const organization of organizations)
      await store.changes.announce('organizations', String(organization));
    return left;
  };
}
