// Deletes an organization: only when no money can come or go any more. Its account stays with its ledger and its log.
import type { organizations } from '#contract/admin/organizations.ts';
import { AppError } from '#contract/errors.ts';
import { changeAndSignOut } from '#server/admin/accounts.ts';
import { unixSeconds } from '#contract/time.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { actFor, scopeIn } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { revokeAll } from './revoke.ts';
import { forgetSignOn } from './sign-on/forget.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'ledger' | 'keys'>;

export function removeOrganization({ store, ledger, keys }: Parts): Handler<typeof organizations.remove> {
  return async (_, context) => {
    const { id } = scopeIn(context);
    // What this node holds in memory is in the row afterwards.
    await ledger.writeHolds(id);
    await store.db.transaction().execute(async (transaction) => {
      const { row } = await actFor(store, transaction, context, 'organization.delete');
      // Its calls and payments wait for this lock, and find the account deleted.
      const account = await lockRow(store, transaction, 'users', id);
      if (account === undefined) throw new AppError('organization_missing');
      if (account.held_quota > 0 || account.plan_held_quota > 0) throw new AppError('organization_has_calls');
      await refuseMoney(transaction, id, account);
      const now = unixSeconds();
      await keys.removeAll(transaction, id);
      await keys.removeAdminKeys(transaction, id);
      await revokeAll(transaction, id);
      await forgetSignOn(transaction, id);
      await transaction
        .updateTable('organization_members')
        .set({ left_at: now })
        .where('organization_id', '=', id)
        .where('left_at', '=', 0)
        .execute();
      await transaction.updateTable('organizations').set({ deleted_at: now }).where('id', '=', id).execute();
      await changeAndSignOut(transaction, id, { deleted_at: now });
      await context.audit(transaction, 'organization.delete', `organization:${id}`, { name: row.name });
    });
    await store.changes.announce('organizations', String(id));
    await store.changes.announce('users', String(id));
    await store.changes.announce('tokens');
    return null;
  };
}

async function refuseMoney(
  transaction: Transaction<Schema>,
  id: number,
  { quota, aff_quota, dividend_quota }: { quota: number; aff_quota: number; dividend_quota: number },
): Promise<void> {
  const has = async (table: 'orders' | 'refunds' | 'disputes' | 'subscriptions', statuses: string[]) =>
    (await transaction
      .selectFrom(table)
      .select('id')
      .where('user_id', '=', id)
      .where('status', 'in', statuses as never[])
      .limit(1)
      .executeTakeFirst()) !== undefined;
  if (
    (await has('orders', ['pending'])) ||
    (await has('refunds', ['pending'])) ||
    (await has('disputes', ['open']))
  )
    throw new AppError('organization_has_orders');
  if (await has('subscriptions', ['active'])) throw new AppError('organization_has_plan');
  if (quota !== 0 || aff_quota !== 0 || dividend_quota !== 0) throw new AppError('organization_has_balance');
}
