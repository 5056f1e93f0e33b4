// Ends memberships: by leaving, by removal, with the account. What the member could do here ends in the same transaction.
import { hasRight, mayManage } from '#contract/admin/organization-rights.ts';
import type { members, TokensOfRemoved } from '#contract/admin/organizations.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Actor, Handler } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { endSessionsThrough } from '#server/admin/accounts.ts';
import { actFor, lockOrganization, memberOf, refuseWithoutOwner } from './acting.ts';
import { endBudgetsOf } from './budgets/change.ts';
import type { KeyHolder, OrganizationDependencies } from './dependencies.ts';
import { revokeOf } from './revoke.ts';
import { forgetPerson } from './sign-on/forget.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'keys'>;
type Member = Row<'organization_members'>;

export function removeMember(parts: Parts): Handler<typeof members.remove> {
  const { store } = parts;
  return async ({ params: { user_id }, body }, context) => {
    const { id, tokens } = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'members.manage');
      const member = await memberOf(transaction, acting.id, user_id);
      if (member === undefined) throw new AppError('not_found');
      if (!mayManage(acting.role, member.role)) throw new AppError('member_not_manageable');
      const count = await endMembership(parts, transaction, member, body.tokens);
      const target = `organization:${acting.id}` as const;
      const after = { tokens: count, ...body.tokens };
      const before = { user_id, role: member.role };
      await context.audit(transaction, 'organization.remove_member', target, before, after);
      return { id: acting.id, tokens: count };
    });
    await announceEnd(parts, id, user_id);
    return { tokens };
  };
}

export function leaveOrganization(parts: Parts): Handler<typeof members.leave> {
  const { store } = parts;
  return async (_, context) => {
    const { id, userId, tokens } = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'organization.read');
      const member = await memberOf(transaction, acting.id, acting.caller.id);
      if (member === undefined) throw new AppError('organization_missing');
      const count = await endMembership(parts, transaction, member, { action: 'disable' });
      const before = { user_id: member.user_id, role: member.role };
      await context.audit(transaction, 'organization.leave', `organization:${acting.id}`, before, {
        tokens: count,
      });
      return { id: acting.id, userId: member.user_id, tokens: count };
    });
    await announceEnd(parts, id, userId);
    return { tokens };
  };
}

/**
 * For the deletion of a person's account, in its transaction and before its own audit row. Refuses the only owner of an
 * organization. Announce the ids under `organizations` after the commit.
 */
export async function leaveAll(
  parts: Parts,
  transaction: Transaction<Schema>,
  actor: Actor,
  userId: number,
): Promise<number[]> {
  const memberships = await transaction
    .selectFrom('organization_members')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .selectAll('organization_members')
    .select('organizations.name')
    .where('organization_members.user_id', '=', userId)
    .where('organization_members.left_at', '=', 0)
    .where('organizations.deleted_at', 'is', null)
    // The order in which every transaction locks several of them.
    .orderBy('organizations.id')
    .execute();
  for (const { organization_id } of memberships)
    await lockOrganization(parts.store, transaction, organization_id);
  const owned: string[] = [];
  for (const { name, ...member } of memberships) if (await isOnlyOwner(transaction, member)) owned.push(name);
  if (owned.length > 0) throw new AppError('owns_organizations', { names: owned.join(', ') });
  const ended: { member: Member; tokens: number }[] = [];
  for (const { name: _name, ...member } of memberships)
    ended.push({ member, tokens: await endMembership(parts, transaction, member, { action: 'disable' }) });
  await forgetPerson(transaction, userId);
  for (const { member, tokens } of ended)
    await actor.audit(
      transaction,
      'organization.leave',
      `organization:${member.organization_id}`,
      { user_id: userId, role: member.role },
      { tokens },
    );
  return memberships.map(({ organization_id }) => organization_id);
}

async function isOnlyOwner(transaction: Transaction<Schema>, member: Member): Promise<boolean> {
  try {
    await refuseWithoutOwner(transaction, member);
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === 'last_owner') return true;
    throw error;
  }
}

/**
 * With the organization locked; how many keys were disabled or handed over. Sessions that came through its provider end. Then
 * `announceEnd`.
 */
export async function endMembership(
  { keys }: Parts,
  transaction: Transaction<Schema>,
  member: Member,
  tokens: TokensOfRemoved,
): Promise<number> {
  const { id, organization_id, user_id } = member;
  await refuseWithoutOwner(transaction, member);
  await transaction
    .updateTable('organization_members')
    .set({ left_at: unixSeconds() })
    .where('id', '=', id)
    .execute();
  await revokeOf(transaction, organization_id, user_id);
  await keys.removeAdminKeys(transaction, organization_id, user_id);
  await endBudgetsOf(transaction, organization_id, 'member', user_id);
  await endSessionsThrough(transaction, organization_id, user_id);
  if (tokens.action === 'disable') return await keys.disableOfMember(transaction, organization_id, user_id);
  const to = await holderOf(transaction, organization_id, tokens);
  return await keys.handOver(transaction, organization_id, user_id, to);
}

/** After the leaving member's row has ended, so that nobody hands keys to themselves. */
async function holderOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  tokens: Exclude<TokensOfRemoved, { action: 'disable' }>,
): Promise<KeyHolder> {
  if (tokens.action === 'to_member') {
    const member = await memberOf(transaction, organizationId, tokens.user_id);
    if (member === undefined || !hasRight(member.role, 'tokens.own'))
      throw new AppError('token_owner_unknown', {}, { field: 'tokens' });
    return { memberId: tokens.user_id };
  }
  const account = await transaction
    .selectFrom('service_accounts')
    .select('id')
    .where('id', '=', tokens.service_account_id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', '=', 0)
    .executeTakeFirst();
  if (account === undefined) throw new AppError('token_owner_unknown', {}, { field: 'tokens' });
  return { serviceAccountId: account.id };
}

export async function announceEnd(
  { store }: Pick<Parts, 'store'>,
  organizationId: number,
  userId: number,
): Promise<void> {
  await store.changes.announce('organizations', String(organizationId));
  await store.changes.announce('users', String(userId));
  // Any key may have been one of the member's.
  await store.changes.announce('tokens');
}
