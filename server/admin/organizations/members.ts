// The members of an organization, and changes of their roles.
import { hasRight, mayManage } from '#contract/admin/organization-rights.ts';
import type { members, MemberView } from '#contract/admin/organizations.ts';
import { AppError } from '#contract/errors.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { Handler } from '#server/admin/context.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely } from 'kysely';
import { actFor, memberOf, refuseWithoutOwner, scopeIn } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { revokeOffers } from './revoke.ts';

type Parts = Pick<OrganizationDependencies, 'store'>;
type KeyParts = Pick<OrganizationDependencies, 'store' | 'keys'>;

/** Owners first, then by name. */
const RANK = sql<number>`case organization_members.role when 'owner' then 0 when 'admin' then 1 when 'billing' then 2
  when 'member' then 3 else 4 end`;

export const membersOf = (db: Kysely<Schema>, organizationId: number) =>
  db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.left_at', '=', 0);

type MemberQuery = ReturnType<typeof membersOf>;

export async function memberViews(query: MemberQuery, seesEmail: boolean): Promise<MemberView[]> {
  const rows = await query
    .select(['users.id as user_id', 'users.username', 'users.display_name', 'users.email'])
    .select(['organization_members.role', 'organization_members.source', 'organization_members.joined_at'])
    .select((builder) =>
      builder
        .selectFrom('tokens')
        .select((count) => count.fn.countAll<number>().as('tokens'))
        .whereRef('tokens.user_id', '=', 'organization_members.organization_id')
        .whereRef('tokens.member_id', '=', 'organization_members.user_id')
        .where('tokens.deleted_at', 'is', null)
        .as('tokens'),
    )
    .orderBy(RANK)
    .orderBy('users.username')
    .orderBy('users.id')
    .execute();
  return rows.map((row) => ({ ...row, tokens: row.tokens ?? 0, email: seesEmail ? row.email : '' }));
}

export function listMembers({ store }: Parts): Handler<typeof members.list> {
  return async ({ query }, context) => {
    const { id, role } = scopeIn(context);
    const seesEmail = hasRight(role, 'members.manage');
    const pageSize = pageSizeOf(query);
    const { keyword } = query;
    let matching = membersOf(store.db, id);
    if (query.role) matching = matching.where('organization_members.role', '=', query.role);
    if (keyword !== '')
      matching = matching.where((builder) =>
        builder.or([
          containsText('users.username', keyword),
          containsText('users.display_name', keyword),
          ...(seesEmail ? [containsText('users.email', keyword)] : []),
        ]),
      );
    const [items, { total }] = await Promise.all([
      memberViews(matching.limit(pageSize).offset((query.p - 1) * pageSize), seesEmail),
      matching.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    return { items, total, page: query.p, page_size: pageSize };
  };
}

export function changeRole({ store, keys }: KeyParts): Handler<typeof members.changeRole> {
  return async ({ params: { user_id }, body: { role } }, context) => {
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'members.manage');
      const member = await memberOf(transaction, acting.id, user_id);
      if (member === undefined) throw new AppError('not_found');
      if (!mayManage(acting.role, member.role)) throw new AppError('member_not_manageable');
      if (member.role === role) throw new AppError('nothing_changed');
      await refuseWithoutOwner(transaction, member);
      // An offer by somebody who is no owner any more could not be accepted.
      if (member.role === 'owner') await revokeOffers(transaction, acting.id);
      await transaction
        .updateTable('organization_members')
        .set({ role })
        .where('id', '=', member.id)
        .execute();
      // Keys that their holder may not even see must not go on spending.
      const disabled = hasRight(role, 'tokens.own')
        ? 0
        : await keys.disableOfMember(transaction, acting.id, user_id);
      const target = `organization:${acting.id}` as const;
      const before = { user_id, role: member.role };
      const after = { user_id, role, tokens_disabled: disabled };
      await context.audit(transaction, 'organization.change_role', target, before, after);
      return acting.id;
    });
    await store.changes.announce('organizations', String(id));
    await store.changes.announce('tokens');
    const [view] = await memberViews(membersOf(store.db, id).where('users.id', '=', user_id), true);
    if (view === undefined) throw new AppError('not_found');
    return view;
  };
}
