// Lists and searches all users, also deleted ones. Fields the caller may not see are not searched.
import { callerOf, type Caller, type RequestContext } from '#server/admin/context.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { managedUsers, managedView } from './managed-view.ts';

type ListQuery = Input<typeof userManagement.list>['query'] & { keyword?: string };
type Builder = ExpressionBuilder<Schema, 'users'>;

export function listUsers({ store }: Pick<ManagementDependencies, 'store'>) {
  return async (
    { query }: { query: ListQuery },
    context: RequestContext,
  ): Promise<Output<typeof userManagement.list>> => {
    const caller = callerOf(context);
    const pageSize = pageSizeOf(query);
    const [rows, { total }] = await Promise.all([
      managedUsers(store.db)
        .where((builder) => matching(builder, caller, query))
        .orderBy(`users.${query.sort ?? 'id'}`, query.order ?? 'desc')
        .orderBy('users.id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      store.db
        .selectFrom('users')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where((builder) => matching(builder, caller, query))
        .executeTakeFirstOrThrow(),
    ]);
    return {
      items: rows.map((row) => managedView(caller, row)),
      total,
      page: query.p,
      page_size: pageSize,
    };
  };
}

function matching(builder: Builder, caller: Caller, query: ListQuery): Expression<SqlBool> {
  // Organizations have a list of their own.
  const conditions: Expression<SqlBool>[] = [builder('users.kind', '=', 'person')];
  if (query.group) conditions.push(builder('users.group', '=', query.group));
  if (query.role !== undefined) conditions.push(builder('users.role', '=', query.role));
  if (query.state) conditions.push(inState(builder, query.state));
  if (query.keyword) conditions.push(mentions(builder, caller, query.keyword));
  return builder.and(conditions);
}

function inState(builder: Builder, state: NonNullable<ListQuery['state']>): Expression<SqlBool> {
  if (state === 'deleted') return builder('users.deleted_at', 'is not', null);
  return builder.and([
    builder('users.deleted_at', 'is', null),
    builder('users.status', '=', USER_STATUS[state]),
  ]);
}

function mentions(builder: Builder, caller: Caller, keyword: string): Expression<SqlBool> {
  const isVisible = builder.or([
    builder('users.role', '<', caller.role),
    builder('users.id', '=', caller.id),
  ]);
  const places = [
    containsText('users.username', keyword),
    containsText('users.display_name', keyword),
    builder.and([isVisible, containsText('users.email', keyword)]),
  ];
  const id = Number(keyword);
  if (/^\d+$/.test(keyword) && Number.isSafeInteger(id)) places.push(builder('users.id', '=', id));
  return builder.or(places);
}
