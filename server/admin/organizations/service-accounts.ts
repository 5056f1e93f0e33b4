// Service accounts of an organization: they have keys, and nobody signs in to them.
import {
  SERVICE_ACCOUNTS_MAX,
  type serviceAccounts,
  type ServiceAccountView,
} from '#contract/admin/organization-projects.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { actFor, scopeIn } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'keys'>;

export function listServiceAccounts({ store }: Pick<Parts, 'store'>): Handler<typeof serviceAccounts.list> {
  return (_, context) => views(store.db, scopeIn(context).id);
}

export function createServiceAccount({
  store,
}: Pick<Parts, 'store'>): Handler<typeof serviceAccounts.create> {
  return async ({ body: { name, project_id } }, context) => {
    const [organizationId, made] = await store.db.transaction().execute(async (transaction) => {
      const { id, caller } = await actFor(store, transaction, context, 'service_accounts.manage');
      const row = await insertServiceAccount(transaction, id, { name, project_id, createdBy: caller.id });
      const target = `service_account:${row.id}` as const;
      const after = { name, project_id: row.project_id };
      await context.audit(transaction, 'service_account.create', target, undefined, after);
      return [id, row.id] as const;
    });
    const view = (await views(store.db, organizationId)).find(({ id }) => id === made);
    if (view === undefined) throw new AppError('not_found');
    return view;
  };
}

export async function insertServiceAccount(
  transaction: Transaction<Schema>,
  organizationId: number,
  { name, project_id, createdBy }: { name: string; project_id: number | undefined; createdBy: number },
): Promise<{ id: number; project_id: number }> {
  await refuseNameAndCount(transaction, organizationId, name);
  return await transaction
    .insertInto('service_accounts')
    .values({
      organization_id: organizationId,
      project_id: await openProject(transaction, organizationId, project_id),
      name,
      created_by: createdBy,
      created_at: unixSeconds(),
    })
    .returning(['id', 'project_id'])
    .executeTakeFirstOrThrow();
}

export function removeServiceAccount({ store, keys }: Parts): Handler<typeof serviceAccounts.remove> {
  return async ({ params }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'service_accounts.manage');
      const row = await transaction
        .updateTable('service_accounts')
        .set({ deleted_at: unixSeconds() })
        .where('id', '=', params.id)
        .where('organization_id', '=', id)
        .where('deleted_at', '=', 0)
        .returning('name')
        .executeTakeFirst();
      if (row === undefined) throw new AppError('not_found');
      const tokens = await keys.removeOfServiceAccount(transaction, id, params.id);
      const target = `service_account:${params.id}` as const;
      await context.audit(transaction, 'service_account.delete', target, { ...row, tokens });
    });
    await store.changes.announce('tokens');
    return null;
  };
}

/** Without an id: the default one. */
async function openProject(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number | undefined,
): Promise<number> {
  const row = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('archived_at', '=', 0)
    .where((builder) => (id === undefined ? builder('is_default', '=', 1) : builder('id', '=', id)))
    .executeTakeFirst();
  if (row === undefined) throw new AppError('project_unknown', {}, { field: 'project_id' });
  return row.id;
}

async function refuseNameAndCount(
  transaction: Transaction<Schema>,
  organizationId: number,
  name: string,
): Promise<void> {
  const { total, same } = await transaction
    .selectFrom('service_accounts')
    .select(sql<number>`count(*)`.as('total'))
    .select(sql<number>`count(case when lower(name) = lower(${name}) then 1 end)`.as('same'))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (same > 0) throw new AppError('service_account_name_taken', {}, { field: 'name' });
  if (total >= SERVICE_ACCOUNTS_MAX)
    throw new AppError('service_account_limit_reached', { limit: SERVICE_ACCOUNTS_MAX });
}

async function views(db: Kysely<Schema>, organizationId: number): Promise<ServiceAccountView[]> {
  const rows = await db
    .selectFrom('service_accounts')
    .leftJoin('projects', 'projects.id', 'service_accounts.project_id')
    .leftJoin('users', 'users.id', 'service_accounts.created_by')
    .select(['service_accounts.id', 'service_accounts.name', 'service_accounts.project_id'])
    .select(['service_accounts.created_at', 'projects.name as project_name', 'users.username'])
    .select((builder) =>
      builder
        .selectFrom('tokens')
        .select((count) => count.fn.countAll<number>().as('tokens'))
        .where('tokens.user_id', '=', organizationId)
        .whereRef('tokens.service_account_id', '=', 'service_accounts.id')
        .where('tokens.deleted_at', 'is', null)
        .as('tokens'),
    )
    .where('service_accounts.organization_id', '=', organizationId)
    .where('service_accounts.deleted_at', '=', 0)
    .orderBy('service_accounts.name')
    .orderBy('service_accounts.id')
    .execute();
  return rows.map(({ username, project_name, tokens, ...row }) => ({
    ...row,
    project_name: project_name ?? '',
    created_by_name: username ?? '',
    tokens: tokens ?? 0,
  }));
}
