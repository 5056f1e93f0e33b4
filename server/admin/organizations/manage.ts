// What administrators of the site do with an organization: suspend it, lift that, set its price group, add an owner, adjust its
// balance. A suspension is the status of its account, so calls of its keys are refused as those of a banned user.
import { isRoot } from '#contract/access.ts';
import type { organizationManagement } from '#contract/admin/organization-management.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import { requireStepUpForQuota } from '#server/admin/accounts.ts';
import { unixSeconds } from '#contract/time.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { lockOrganization, memberOf } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { putSuspensionLetters } from './letters.ts';
import { readManagedOrganization } from './managed-view.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'settings' | 'ledger' | 'letters' | 'adjustBalance'>;

async function lockAccount(
  { store }: Pick<Parts, 'store'>,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'users'> & { name: string }> {
  const { name } = await lockOrganization(store, transaction, id);
  const account = await lockRow(store, transaction, 'users', id);
  if (account === undefined) throw new AppError('organization_missing');
  return { ...account, name };
}

export function suspendOrganization(parts: Parts): Handler<typeof organizationManagement.suspend> {
  const { store, letters } = parts;
  return async ({ params: { id }, body: { reason } }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { status, name } = await lockAccount(parts, transaction, id);
      // A ban would replace the suspension by the check of the books, which only the super admin lifts.
      if (status === USER_STATUS.suspended) throw new AppError('user_suspended');
      await changeUser(transaction, id, { status: USER_STATUS.banned, suspended_reason: reason });
      await putSuspensionLetters(parts, transaction, id, { organization: name, reason });
      await context.audit(transaction, 'organization.suspend', `organization:${id}`, undefined, { reason });
    });
    letters.wake();
    await store.changes.announce('users', String(id));
    return await readManagedOrganization(store.db, id);
  };
}

export function liftOrganization(parts: Parts): Handler<typeof organizationManagement.lift> {
  const { store } = parts;
  return async ({ params: { id } }, context) => {
    const caller = callerOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const { status, suspended_reason } = await lockAccount(parts, transaction, id);
      if (status === USER_STATUS.activated) throw new AppError('user_not_suspended');
      if (status === USER_STATUS.suspended && !isRoot(caller.role)) throw new AppError('user_suspended');
      await changeUser(transaction, id, { status: USER_STATUS.activated, suspended_reason: '' });
      const before = { status, suspended_reason };
      await context.audit(transaction, 'organization.lift', `organization:${id}`, before);
    });
    await store.changes.announce('users', String(id));
    return await readManagedOrganization(store.db, id);
  };
}

export function setGroup(parts: Parts): Handler<typeof organizationManagement.setGroup> {
  const { store, settings } = parts;
  return async ({ params: { id }, body: { group } }, context) => {
    if (!Object.hasOwn(settings.current.GroupRatio, group))
      throw new AppError('group_unknown', { group }, { field: 'group' });
    await store.db.transaction().execute(async (transaction) => {
      const before = await lockAccount(parts, transaction, id);
      await changeUser(transaction, id, { group });
      const target = `organization:${id}` as const;
      await context.audit(transaction, 'organization.set_group', target, { group: before.group }, { group });
    });
    await store.changes.announce('users', String(id));
    return await readManagedOrganization(store.db, id);
  };
}

export function addOwner(parts: Parts): Handler<typeof organizationManagement.addOwner> {
  const { store } = parts;
  return async ({ params: { id }, body: { user_id } }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      await lockOrganization(store, transaction, id);
      const member = await memberOf(transaction, id, user_id);
      if (member?.role === 'owner') throw new AppError('nothing_changed');
      await requirePerson(transaction, user_id);
      const role = 'owner' as const;
      if (member !== undefined)
        await transaction
          .updateTable('organization_members')
          .set({ role })
          .where('id', '=', member.id)
          .execute();
      else
        await transaction
          .insertInto('organization_members')
          .values({ organization_id: id, user_id, role, source: 'admin', joined_at: unixSeconds() })
          .execute();
      const before = member && { user_id, role: member.role };
      const target = `organization:${id}` as const;
      await context.audit(transaction, 'organization.add_owner', target, before, { user_id, role });
    });
    await store.changes.announce('organizations', String(id));
    return await readManagedOrganization(store.db, id);
  };
}

async function requirePerson(transaction: Transaction<Schema>, id: number): Promise<void> {
  const person = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('kind', '=', 'person')
    .where('status', '=', USER_STATUS.activated)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (person === undefined) throw new AppError('user_unavailable');
}

export function adjustBalance(parts: Parts): Handler<typeof organizationManagement.adjustBalance> {
  const { store, settings, ledger } = parts;
  return async ({ params: { id }, body }, context) => {
    const caller = callerOf(context);
    requireStepUpForQuota(context, body.quota_change, settings.current.QuotaPerUnit);
    await ledger.writeHolds(id);
    await store.db.transaction().execute(async (transaction) => {
      const account = await lockAccount(parts, transaction, id);
      const booked = await parts.adjustBalance(transaction, caller, account, body);
      if (booked === undefined) return;
      const { difference, quota, reason } = booked;
      const after = { quota, difference, reason };
      const before = { quota: quota - difference };
      await context.audit(transaction, 'organization.balance', `organization:${id}`, before, after);
    });
    await store.changes.announce('users', String(id));
    return await readManagedOrganization(store.db, id);
  };
}
