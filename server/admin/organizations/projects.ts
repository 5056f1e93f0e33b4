// Projects of an organization.
import { PROJECTS_MAX, projects, type ProjectView } from '#contract/admin/organization-projects.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { AppError } from '#contract/errors.ts';
import { checkAddressLines, tidyAddressLines } from '#contract/ip-address.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler, type RequestContext } from '#server/admin/context.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { actFor, scopeIn } from './acting.ts';
import { endBudgetsOf } from './budgets/change.ts';
import type { OrganizationDependencies } from './dependencies.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'keys'>;
type Project = Row<'projects'>;
type Fields = Partial<
  Pick<ProjectView, 'name' | 'models' | 'allow_ips' | 'requests_per_minute' | 'tokens_per_minute'>
>;

export function listProjects({ store }: Pick<Parts, 'store'>): Handler<typeof projects.list> {
  return (_, context) => projectViews(store.db, context);
}

export function createProject({ store }: Pick<Parts, 'store'>): Handler<typeof projects.create> {
  return async ({ body }, context) => {
    const made = await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'projects.manage');
      const row = await insertProject(transaction, id, body);
      await context.audit(transaction, 'project.create', `project:${row.id}`, undefined, fieldsOf(row));
      return row.id;
    });
    return await oneProject(store.db, context, made);
  };
}

export async function insertProject(
  transaction: Transaction<Schema>,
  organizationId: number,
  fields: Fields & Pick<ProjectView, 'name'>,
): Promise<Project> {
  await refuseTooMany(transaction, organizationId);
  await refuseTakenName(transaction, organizationId, fields.name);
  const columns = { ...columnsOf(fields), name: fields.name };
  return await transaction
    .insertInto('projects')
    .values({ organization_id: organizationId, created_at: unixSeconds(), ...columns })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function changeProject({ store, keys }: Parts): Handler<typeof projects.change> {
  return async ({ params, body }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id } = await actFor(store, transaction, context, 'projects.manage');
      const row = await projectOf(transaction, id, params.id);
      if (row.archived_at > 0) throw new AppError('project_archived', {}, { field: 'id' });
      const target = `project:${row.id}` as const;
      const fields = projects.change.body;
      const present = fieldsOf(row);
      await refuseConflict(transaction, { fields, body, present, target });
      const columns = columnsOf(editedFields(fields, body));
      if (Object.keys(columns).length === 0) throw new AppError('nothing_changed');
      if (columns.name !== undefined && columns.name !== row.name)
        await refuseTakenName(transaction, id, columns.name);
      await transaction.updateTable('projects').set(columns).where('id', '=', row.id).execute();
      await keys.limitProject(transaction, id, { ...row, ...columns });
      await context.audit(transaction, 'project.change', target, present, { ...present, ...columns });
    });
    // The relay keeps the limits of the project with each of its keys.
    await store.changes.announce('tokens');
    return await oneProject(store.db, context, params.id);
  };
}

export function archiveProject({ store, keys }: Parts): Handler<typeof projects.archive> {
  return async ({ params }, context) => {
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'projects.manage');
      const row = await projectOf(transaction, acting.id, params.id);
      if (row.is_default === 1) throw new AppError('project_is_default');
      if (row.archived_at > 0) throw new AppError('project_archived', {}, { field: 'id' });
      await transaction
        .updateTable('projects')
        .set({ archived_at: unixSeconds() })
        .where('id', '=', row.id)
        .execute();
      const tokens = await keys.disableOfProject(transaction, acting.id, row.id);
      await endBudgetsOf(transaction, acting.id, 'project', row.id);
      const target = `project:${row.id}` as const;
      await context.audit(transaction, 'project.archive', target, { name: row.name }, { tokens });
      return acting.id;
    });
    await store.changes.announce('tokens');
    await store.changes.announce('budgets', String(id));
    return await oneProject(store.db, context, params.id);
  };
}

/** One of another organization does not exist. */
async function projectOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<Project> {
  const row = await transaction
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return row;
}

const fieldsOf = (row: Project): Required<Fields> => ({
  name: row.name,
  models: row.models,
  allow_ips: row.allow_ips,
  requests_per_minute: row.requests_per_minute,
  tokens_per_minute: row.tokens_per_minute,
});

function columnsOf(fields: Fields): Pick<RowChange<'projects'>, keyof Fields> {
  const { name, models, allow_ips, requests_per_minute, tokens_per_minute } = fields;
  if (allow_ips !== undefined) {
    const wrong = checkAddressLines(allow_ips).find((line) => line.problem !== null);
    if (wrong) {
      const place = { line: wrong.line, address: wrong.text };
      throw new AppError('address_list_invalid', place, { field: 'allow_ips' });
    }
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(models === undefined ? {} : { models: modelLimitList(models).join(',') }),
    ...(allow_ips === undefined ? {} : { allow_ips: tidyAddressLines(allow_ips) }),
    ...(requests_per_minute === undefined ? {} : { requests_per_minute }),
    ...(tokens_per_minute === undefined ? {} : { tokens_per_minute }),
  };
}

/** Among those that are not archived. */
async function refuseTakenName(
  transaction: Transaction<Schema>,
  organizationId: number,
  name: string,
): Promise<void> {
  const taken = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('archived_at', '=', 0)
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .executeTakeFirst();
  if (taken !== undefined) throw new AppError('project_name_taken', {}, { field: 'name' });
}

async function refuseTooMany(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  const { total } = await transaction
    .selectFrom('projects')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('archived_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (total >= PROJECTS_MAX) throw new AppError('project_limit_reached', { limit: PROJECTS_MAX });
}

async function projectViews(db: Kysely<Schema>, context: RequestContext): Promise<ProjectView[]> {
  const { id, role } = scopeIn(context);
  const counted = hasRight(role, 'tokens.read_all') ? undefined : callerOf(context).id;
  const rows = await db
    .selectFrom('projects')
    .selectAll()
    .select((builder) =>
      builder
        .selectFrom('tokens')
        .select((count) => count.fn.countAll<number>().as('tokens'))
        .where('tokens.user_id', '=', id)
        .whereRef('tokens.project_id', '=', 'projects.id')
        .where('tokens.deleted_at', 'is', null)
        .$if(counted !== undefined, (query) => query.where('tokens.member_id', '=', counted ?? 0))
        .as('tokens'),
    )
    .where('organization_id', '=', id)
    .orderBy('is_default', 'desc')
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...fieldsOf(row),
    id: row.id,
    is_default: row.is_default === 1,
    archived: row.archived_at > 0,
    created_at: row.created_at,
    tokens: row.tokens ?? 0,
  }));
}

async function oneProject(db: Kysely<Schema>, context: RequestContext, id: number): Promise<ProjectView> {
  const view = (await projectViews(db, context)).find((project) => project.id === id);
  if (view === undefined) throw new AppError('not_found');
  return view;
}
