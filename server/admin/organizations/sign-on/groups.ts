// Groups of the provider and what they give here. SCIM makes, names and fills them; the console says what they mean.
import { organizationSignOn, SIGN_ON_GROUPS_MAX } from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import { requireSignOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { applyGroups } from './mapping.ts';
import { groupFieldsOf, oneGroup } from './view.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'settings' | 'keys'>;
type Group = Row<'sign_on_groups'>;

export function createGroup({ store, settings }: Parts): Handler<typeof organizationSignOn.createGroup> {
  return async ({ body: { name, role = '', project_ids = [] } }, context) => {
    requireSignOn(settings.current);
    const [organizationId, made] = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      await refuseGroup(transaction, id, name);
      await requireProjects(transaction, id, project_ids);
      const row = await insertGroup(transaction, id, { name, role, project_ids: project_ids.join(',') });
      const target = `organization:${id}` as const;
      await context.audit(transaction, 'sign_on.create_group', target, undefined, groupFieldsOf(row));
      return [id, row.id] as const;
    });
    return await oneGroup(store.db, organizationId, made);
  };
}

export function changeGroup({
  store,
  settings,
  keys,
}: Parts): Handler<typeof organizationSignOn.changeGroup> {
  return async ({ params, body }, context) => {
    requireSignOn(settings.current);
    const organizationId = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      const row = await groupRow(transaction, id, params.id);
      const present = groupFieldsOf(row);
      const target = `organization:${id}` as const;
      const fields = organizationSignOn.changeGroup.body;
      await refuseConflict(transaction, { fields, body, present, target });
      const after = { ...present, ...editedFields(fields, body) };
      if (after.name !== row.name) {
        if (row.by_scim === 1) throw new AppError('sign_on_group_named_elsewhere', {}, { field: 'name' });
        if (after.name.toLowerCase() !== row.name.toLowerCase())
          await refuseGroup(transaction, id, after.name);
      }
      await requireProjects(transaction, id, after.project_ids);
      await transaction
        .updateTable('sign_on_groups')
        .set({ name: after.name, role: after.role, project_ids: after.project_ids.join(',') })
        .set((builder) => ({ changed_at: unixSeconds(), version: builder('version', '+', 1) }))
        .where('id', '=', row.id)
        .execute();
      // Those whom SCIM has put into it, at once; those who come by a claim, at their next sign-in.
      const people = await peopleOf(transaction, row.id);
      let changed = 0;
      for (const person of people)
        if ((await applyGroups(keys, transaction, person)) !== undefined) changed += 1;
      await context.audit(transaction, 'sign_on.change_group', target, present, {
        ...after,
        members_changed: changed,
      });
      return id;
    });
    await store.changes.announce('organizations', String(organizationId));
    await store.changes.announce('tokens');
    return await oneGroup(store.db, organizationId, params.id);
  };
}

export function removeGroup({ store, keys }: Parts): Handler<typeof organizationSignOn.removeGroup> {
  return async ({ params }, context) => {
    const organizationId = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'sign_on.manage');
      const row = await groupRow(transaction, id, params.id);
      await dropGroup(keys, transaction, row);
      await context.audit(transaction, 'sign_on.remove_group', `organization:${id}`, groupFieldsOf(row));
      return id;
    });
    await store.changes.announce('organizations', String(organizationId));
    await store.changes.announce('tokens');
    return null;
  };
}

export async function groupRow(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<Group> {
  const row = await transaction
    .selectFrom('sign_on_groups')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return row;
}

export async function insertGroup(
  transaction: Transaction<Schema>,
  organizationId: number,
  columns: Pick<Group, 'name'> & Partial<Pick<Group, 'role' | 'project_ids' | 'external_id' | 'by_scim'>>,
): Promise<Group> {
  const now = unixSeconds();
  return await transaction
    .insertInto('sign_on_groups')
    .values({ organization_id: organizationId, created_at: now, changed_at: now, ...columns })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What it gave ends with it. */
export async function dropGroup(
  keys: Parts['keys'],
  transaction: Transaction<Schema>,
  { id }: Pick<Group, 'id'>,
): Promise<void> {
  const people = await peopleOf(transaction, id);
  await transaction.deleteFrom('sign_on_group_people').where('group_id', '=', id).execute();
  await transaction.deleteFrom('sign_on_groups').where('id', '=', id).execute();
  for (const person of people) await applyGroups(keys, transaction, person);
}

const peopleOf = (transaction: Transaction<Schema>, groupId: number) =>
  transaction
    .selectFrom('sign_on_group_people')
    .innerJoin('sign_on_people', 'sign_on_people.id', 'sign_on_group_people.person_id')
    .selectAll('sign_on_people')
    .where('sign_on_group_people.group_id', '=', groupId)
    .execute();

export async function isGroupName(
  transaction: Transaction<Schema>,
  organizationId: number,
  name: string,
): Promise<{ total: number; same: number }> {
  return await transaction
    .selectFrom('sign_on_groups')
    .select(sql<number>`count(*)`.as('total'))
    .select(sql<number>`count(case when lower(name) = lower(${name}) then 1 end)`.as('same'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
}

async function refuseGroup(transaction: Transaction<Schema>, id: number, name: string): Promise<void> {
  const { total, same } = await isGroupName(transaction, id, name);
  if (same > 0) throw new AppError('sign_on_group_taken', {}, { field: 'name' });
  if (total >= SIGN_ON_GROUPS_MAX)
    throw new AppError('sign_on_group_limit_reached', { limit: SIGN_ON_GROUPS_MAX });
}

async function requireProjects(
  transaction: Transaction<Schema>,
  organizationId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...ids])
    .execute();
  if (rows.length < new Set(ids).size) throw new AppError('project_unknown', {}, { field: 'project_ids' });
}
