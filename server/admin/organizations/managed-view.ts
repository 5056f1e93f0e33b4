// Organizations as administrators of the site see them.
import type {
  ManagedOrganization,
  ORGANIZATION_STATES,
  organizationManagement,
} from '#contract/admin/organization-management.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { MAX_PAGE_SIZE, pageSizeOf } from '#contract/lists.ts';
import type { Handler } from '#server/admin/context.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from 'kysely';
import type { OrganizationDependencies } from './dependencies.ts';
import { membersOf, memberViews } from './members.ts';

type Parts = Pick<OrganizationDependencies, 'store'>;
type Query = Input<typeof organizationManagement.list>['query'];
type State = (typeof ORGANIZATION_STATES)[number];

/** A cross join keeps its order on SQLite, which would else read all users to find the accounts. */
const joined = (db: Kysely<Schema>) =>
  db.selectFrom('organizations').crossJoin('users').whereRef('users.id', '=', 'organizations.id');
type Joined = ReturnType<typeof joined>;

const MEMBERS = sql<number>`(select count(*) from organization_members m
  where m.organization_id = organizations.id and m.left_at = 0)`;

async function views(db: Kysely<Schema>, query: Joined): Promise<ManagedOrganization[]> {
  const rows = await query
    .leftJoin('users as creator', 'creator.id', 'organizations.created_by')
    .select(['organizations.id', 'organizations.name', 'organizations.created_at'])
    .select(['organizations.created_by', 'organizations.deleted_at', 'creator.username as creator'])
    .select(['users.username', 'users.status', 'users.suspended_reason', 'users.group', 'users.quota'])
    .select(['users.held_quota', 'users.used_quota', 'users.request_count', MEMBERS.as('members')])
    .execute();
  const owners = await ownersOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ deleted_at, status, creator, ...row }) => ({
    ...row,
    state: deleted_at !== null ? 'deleted' : status === USER_STATUS.activated ? 'active' : 'suspended',
    owners: owners
      .filter(({ organization_id }) => organization_id === row.id)
      .map(({ user_id, username }) => ({ user_id, username })),
    created_by_name: creator ?? '',
  }));
}

async function ownersOf(db: Kysely<Schema>, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['organization_id', 'organization_members.user_id', 'users.username'])
    .where('organization_id', 'in', ids)
    .where('organization_members.role', '=', 'owner')
    .where('left_at', '=', 0)
    .orderBy('organization_members.id')
    .execute();
}

export async function readManagedOrganization(db: Kysely<Schema>, id: number): Promise<ManagedOrganization> {
  const [view] = await views(db, joined(db).where('organizations.id', '=', id));
  if (view === undefined) throw new AppError('organization_missing');
  return view;
}

export function readManaged({ store }: Parts): Handler<typeof organizationManagement.read> {
  return async ({ params: { id } }) => {
    const [view, people] = await Promise.all([
      readManagedOrganization(store.db, id),
      memberViews(membersOf(store.db, id).limit(MAX_PAGE_SIZE), true),
    ]);
    return { ...view, people };
  };
}

export function listManaged({ store }: Parts): Handler<typeof organizationManagement.list> {
  return async ({ query }) => {
    const pageSize = pageSizeOf(query);
    const matching = matchingManaged(store.db, query);
    const [items, { total }] = await Promise.all([
      views(
        store.db,
        sortedManaged(matching, query)
          .limit(pageSize)
          .offset((query.p - 1) * pageSize),
      ),
      matching.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { items, total, page: query.p, page_size: pageSize };
  };
}

export const matchingManaged = (db: Kysely<Schema>, query: Query): Joined =>
  joined(db).where((builder) => conditions(builder, query));

export const sortedManaged = (matching: Joined, { sort, order = 'desc' }: Query): Joined =>
  matching.orderBy(sortBy(sort), order).orderBy('organizations.id', 'desc');

function sortBy(sort: Query['sort']) {
  if (sort === 'members') return MEMBERS;
  const column = sort === 'quota' || sort === 'used_quota' ? 'users' : 'organizations';
  return sql.ref<string | number>(`${column}.${sort ?? 'id'}`);
}

function conditions(
  builder: ExpressionBuilder<Schema, 'organizations' | 'users'>,
  { keyword, state, group }: Query,
): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = [];
  if (group) all.push(builder('users.group', '=', group));
  if (state) all.push(inState(builder, state));
  if (keyword !== '') {
    const places = [
      containsText('organizations.name', keyword),
      containsText('users.username', keyword),
      containsText('organizations.company_name', keyword),
    ];
    const id = Number(keyword);
    if (/^\d+$/.test(keyword) && Number.isSafeInteger(id)) places.push(builder('organizations.id', '=', id));
    all.push(builder.or(places));
  }
  return builder.and(all);
}

function inState(
  builder: ExpressionBuilder<Schema, 'organizations' | 'users'>,
  state: State,
): Expression<SqlBool> {
  if (state === 'deleted') return builder('organizations.deleted_at', 'is not', null);
  return builder.and([
    builder('organizations.deleted_at', 'is', null),
    builder('users.status', state === 'active' ? '=' : '<>', USER_STATUS.activated),
  ]);
}
