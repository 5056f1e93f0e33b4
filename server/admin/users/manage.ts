// Promote, demote, disable, enable, delete. Each ends every session of the user on every node; the announcement stops API
// tokens.
import { isAdmin, isRoot, ROLE } from '#contract/access.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Caller, type Handler } from '#server/admin/context.ts';
import { endPlansOf, readAccountLeft } from '#server/admin/account-left.ts';
import { changeAndSignOut, requireStepUp } from '#server/admin/accounts.ts';
import { AppError } from '#contract/errors.ts';
import type { ManageAction, userManagement } from '#contract/admin/user-management.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Row, RowChange } from '#server/platform/store/schema.ts';
import { refuseOnRoot, requireBelow, targetUser } from './levels.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { oneManagedUser } from './managed-view.ts';

type Target = Row<'users'>;
type Rule = (caller: Caller, target: Target) => RowChange<'users'>;

/** Disabling must be quick and needs no step-up; changes of role and deletion do. */
const NEEDS_STEP_UP: ReadonlySet<ManageAction> = new Set(['promote', 'demote', 'delete']);

const RULES: Record<ManageAction, Rule> = {
  promote(caller, target) {
    requireBelow(caller, target);
    if (!isRoot(caller.role)) throw new AppError('promotion_needs_root');
    if (isAdmin(target.role)) throw new AppError('user_already_admin');
    return { role: ROLE.admin };
  },
  demote(caller, target) {
    refuseOnRoot(target, 'root_not_demoted');
    requireBelow(caller, target);
    if (!isAdmin(target.role)) throw new AppError('user_already_ordinary');
    return { role: ROLE.user };
  },
  disable(caller, target) {
    refuseOnRoot(target, 'root_not_disabled');
    requireBelow(caller, target);
    // A ban would replace the suspension, and any administrator could lift a ban.
    if (target.status === USER_STATUS.suspended) throw new AppError('user_suspended');
    return { status: USER_STATUS.banned };
  },
  enable(caller, target) {
    requireBelow(caller, target);
    if (target.status === USER_STATUS.suspended) throw new AppError('user_suspended');
    return { status: USER_STATUS.activated };
  },
  delete(caller, target) {
    refuseOnRoot(target, 'root_not_deleted');
    requireBelow(caller, target);
    return { deleted_at: unixSeconds() };
  },
};

export function manageUser({
  store,
  ledger,
  forgetTexts,
  leaveOrganizations,
}: Pick<ManagementDependencies, 'store' | 'ledger' | 'forgetTexts' | 'leaveOrganizations'>): Handler<
  typeof userManagement.manage
> {
  return async ({ body: { id, action } }, context) => {
    const caller = callerOf(context);
    let organizations: number[] = [];
    const left = await store.db.transaction().execute(async (transaction) => {
      const target = await targetUser(store, transaction, id);
      const columns = RULES[action](caller, target);
      if (NEEDS_STEP_UP.has(action)) requireStepUp(context);
      const ended = action === 'delete' ? { left: await readAccountLeft(transaction, id) } : {};
      if (action === 'delete') {
        await endPlansOf({ store, ledger }, transaction, id);
        await forgetTexts(transaction, id);
      }
      await changeAndSignOut(transaction, id, columns);
      if (action === 'delete') organizations = await leaveOrganizations(transaction, context, id);
      const after = { ...auditedPart({ ...target, ...columns }), ...ended };
      await context.audit(transaction, `user.${action}`, `user:${id}`, auditedPart(target), after);
      return ended;
    });
    await store.changes.announce('users', String(id));
    for (const organization of organizations)
      await store.changes.announce('organizations', String(organization));
    return { ...(await oneManagedUser(store.db, caller, id)), ...left };
  };
}

export function readLeft({
  store,
}: Pick<ManagementDependencies, 'store'>): Handler<typeof userManagement.left> {
  return async ({ params: { id } }, context) => {
    const row = await store.db
      .selectFrom('users')
      .select('role')
      .where('id', '=', id)
      .where('kind', '=', 'person')
      .executeTakeFirst();
    if (!row) throw new AppError('user_unavailable');
    requireBelow(callerOf(context), row);
    return await readAccountLeft(store.db, id);
  };
}

function auditedPart({ username, role, status, deleted_at }: Partial<RowChange<'users'>>) {
  return { username, role, status, deleted: deleted_at !== null };
}
