// Who has an organization's key: checked when a key is made, moved or enabled, and shown with their names.
import { hasRight, ORGANIZATION_ROLES } from '#contract/admin/organization-rights.ts';
import type { TokenHolder, TokenHolderView } from '#contract/admin/token-holders.ts';
import { AppError } from '#contract/errors.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { projectColumns } from './of-organization.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  type Transaction,
} from 'kysely';

export type HolderColumns = Pick<Row<'tokens'>, 'member_id' | 'service_account_id'> &
  ReturnType<typeof projectColumns>;

const ROLES_WITH_KEYS = ORGANIZATION_ROLES.filter((role) => hasRight(role, 'tokens.own'));

/** Of a new token. Nothing in the personal scope, where a holder means nothing. */
export async function newHolder(
  transaction: Transaction<Schema>,
  context: RequestContext,
  asked: TokenHolder,
): Promise<HolderColumns | undefined> {
  const isAsked = Object.values(asked).some((value) => value !== undefined);
  const { organization } = context;
  if (organization === undefined) {
    if (isAsked) throw new AppError('organization_required');
    return undefined;
  }
  const caller = callerOf(context);
  const self = { member_id: caller.id, service_account_id: 0 };
  const holder = (await holderIn(transaction, context, asked)) ?? self;
  if (holder === self) await requireMember(transaction, organization.id, caller.id);
  const usual = await usualProject(transaction, organization.id, holder.service_account_id);
  const given = await projectsOfMember(transaction, organization.id, holder.member_id);
  const first = given !== undefined && !given.includes(usual) ? (given[0] ?? usual) : usual;
  const project = await openProject(transaction, organization.id, asked.project_id ?? first);
  refuseOtherProject(given, project.project_id);
  return { ...holder, ...project };
}

/** What a change of a token names of these; the others stay. */
export async function chooseHolder(
  transaction: Transaction<Schema>,
  context: RequestContext,
  asked: TokenHolder,
): Promise<Partial<HolderColumns>> {
  const isAsked = Object.values(asked).some((value) => value !== undefined);
  if (!isAsked) return {};
  const { organization } = context;
  if (organization === undefined) throw new AppError('organization_required');
  const holder = await holderIn(transaction, context, asked);
  if (asked.project_id === undefined) return holder ?? {};
  return { ...holder, ...(await openProject(transaction, organization.id, asked.project_id)) };
}

/** Of a changed token: the groups of a member may limit the projects of the member's keys. */
export async function requireProjectOf(
  transaction: Transaction<Schema>,
  { user_id, member_id, project_id }: Pick<Row<'tokens'>, 'user_id' | 'member_id' | 'project_id'>,
): Promise<void> {
  refuseOtherProject(await projectsOfMember(transaction, user_id, member_id), project_id);
}

function refuseOtherProject(given: readonly number[] | undefined, projectId: number): void {
  if (given !== undefined && !given.includes(projectId))
    throw new AppError('project_not_given', {}, { field: 'project_id' });
}

/** Undefined: all. */
async function projectsOfMember(
  db: Kysely<Schema>,
  organizationId: number,
  memberId: number,
): Promise<number[] | undefined> {
  if (memberId === 0) return undefined;
  const member = await db
    .selectFrom('organization_members')
    .select('project_ids')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', memberId)
    .where('left_at', '=', 0)
    .executeTakeFirst();
  if (member === undefined || member.project_ids === '') return undefined;
  return member.project_ids.split(',').map(Number);
}

/** Undefined when none is named. Only those who may change the keys of all name another than themselves. */
async function holderIn(
  transaction: Transaction<Schema>,
  context: RequestContext,
  { member_id, service_account_id }: TokenHolder,
): Promise<Pick<HolderColumns, 'member_id' | 'service_account_id'> | undefined> {
  const { organization } = context;
  if (organization === undefined || (member_id === undefined && service_account_id === undefined))
    return undefined;
  const unknown = (field: string) => new AppError('token_owner_unknown', {}, { field });
  if (member_id !== undefined && service_account_id !== undefined) throw unknown('service_account_id');
  const isOther = service_account_id !== undefined || member_id !== callerOf(context).id;
  if (isOther && !organization.seesAll)
    throw unknown(member_id === undefined ? 'service_account_id' : 'member_id');
  if (member_id !== undefined) {
    await requireMember(transaction, organization.id, member_id);
    return { member_id, service_account_id: 0 };
  }
  const account = await transaction
    .selectFrom('service_accounts')
    .select('id')
    .where('id', '=', service_account_id ?? 0)
    .where('organization_id', '=', organization.id)
    .where('deleted_at', '=', 0)
    .executeTakeFirst();
  if (account === undefined) throw unknown('service_account_id');
  return { member_id: 0, service_account_id: account.id };
}

/** With a role that may have keys. */
async function requireMember(db: Kysely<Schema>, organizationId: number, userId: number): Promise<void> {
  const member = await db
    .selectFrom('organization_members')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('left_at', '=', 0)
    .where('role', 'in', ROLES_WITH_KEYS)
    .executeTakeFirst();
  if (member === undefined) throw new AppError('token_owner_unknown', {}, { field: 'member_id' });
}

/** That of the service account while it is open, else the default one. */
async function usualProject(
  db: Kysely<Schema>,
  organizationId: number,
  serviceAccountId: number,
): Promise<number> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('archived_at', '=', 0)
    .where((builder) =>
      builder.or([
        builder('is_default', '=', 1),
        builder('id', 'in', (inner) =>
          inner.selectFrom('service_accounts').select('project_id').where('id', '=', serviceAccountId),
        ),
      ]),
    )
    .orderBy('is_default')
    .executeTakeFirst();
  return row?.id ?? 0;
}

async function openProject(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
): Promise<ReturnType<typeof projectColumns>> {
  const row = await db
    .selectFrom('projects')
    .select(['id', 'archived_at', 'requests_per_minute', 'tokens_per_minute'])
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('project_unknown', {}, { field: 'project_id' });
  if (row.archived_at > 0) throw new AppError('project_archived', {}, { field: 'project_id' });
  return projectColumns(row);
}

/** A key may work: its member is one still, or its service account exists, and its project is open. Always, of a person's own. */
export function mayWork(builder: ExpressionBuilder<Schema, 'tokens'>): Expression<SqlBool> {
  const members = builder
    .selectFrom('organization_members')
    .select('organization_members.id')
    .whereRef('organization_members.organization_id', '=', 'tokens.user_id')
    .whereRef('organization_members.user_id', '=', 'tokens.member_id')
    .where('organization_members.left_at', '=', 0)
    .where('organization_members.role', 'in', ROLES_WITH_KEYS)
    .where(
      sql<boolean>`(organization_members.project_ids = '' or ',' || organization_members.project_ids || ','
        like '%,' || cast(tokens.project_id as text) || ',%')`,
    );
  const accounts = builder
    .selectFrom('service_accounts')
    .select('service_accounts.id')
    .whereRef('service_accounts.id', '=', 'tokens.service_account_id')
    .where('service_accounts.deleted_at', '=', 0);
  const projects = builder
    .selectFrom('projects')
    .select('projects.id')
    .whereRef('projects.id', '=', 'tokens.project_id')
    .where('projects.archived_at', '=', 0);
  return builder.or([
    builder('tokens.project_id', '=', 0),
    builder.and([builder.exists(projects), builder.or([builder.exists(members), builder.exists(accounts)])]),
  ]);
}

/** Before one is enabled or restored. */
export async function requireWorking(transaction: Transaction<Schema>, id: number): Promise<void> {
  const row = await transaction
    .selectFrom('tokens')
    .select('tokens.id')
    .where('tokens.id', '=', id)
    .where((builder) => mayWork(builder))
    .executeTakeFirst();
  if (row === undefined) throw new AppError('token_owner_left');
}

/** Nobody leaves and no project is archived until the transaction ends. First in each that makes or enables keys. */
export async function holdOrganization(
  { dialect }: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  { organization }: Pick<RequestContext, 'organization'>,
): Promise<void> {
  if (organization === undefined || dialect !== 'postgres') return;
  await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organization.id)
    .forUpdate()
    .execute();
}

/** By the id of the token, with the names as they are now, also of those who left; nothing for a person's own. */
export async function holderViews(
  db: Kysely<Schema>,
  rows: readonly Pick<Row<'tokens'>, 'id' | 'project_id'>[],
): Promise<ReadonlyMap<number, TokenHolderView>> {
  const ids = rows.filter(({ project_id }) => project_id > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await db
    .selectFrom('tokens')
    .leftJoin('users as member', 'member.id', 'tokens.member_id')
    .leftJoin('service_accounts', 'service_accounts.id', 'tokens.service_account_id')
    .leftJoin('projects', 'projects.id', 'tokens.project_id')
    .select(['tokens.id', 'tokens.member_id', 'tokens.service_account_id', 'tokens.project_id'])
    .select(['member.username', 'service_accounts.name as account', 'projects.name as project'])
    .where('tokens.id', 'in', ids)
    .execute();
  return new Map(
    found.map(({ id, username, account, project, ...holder }) => [
      id,
      {
        ...holder,
        member_name: username ?? '',
        service_account_name: account ?? '',
        project_name: project ?? '',
      },
    ]),
  );
}
