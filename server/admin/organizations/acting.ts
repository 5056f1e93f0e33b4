// The first step of each verb: the organization that the call acts for, locked, and the caller's role as it is now. The cached
// role that let the call in may be seconds old.
import type { Transaction } from 'kysely';
import { hasRight, rolesFor, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import { ROLE_WORDS, rolesWords } from '#contract/admin/organization-role-words.ts';
import { AppError } from '#contract/errors.ts';
import { callerOf, type Caller, type OrganizationScope, type RequestContext } from '#server/admin/context.ts';
import { forUpdate } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

type Member = Row<'organization_members'>;

export function scopeIn({ organization }: Pick<RequestContext, 'organization'>): OrganizationScope {
  if (organization === undefined) throw new AppError('organization_required');
  return organization;
}

/** Locked until the transaction ends, so that two people cannot both be the last owner to go. */
export async function lockOrganization(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'organizations'>> {
  const row = await transaction
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$call(forUpdate(store))
    .executeTakeFirst();
  if (row === undefined) throw new AppError('organization_missing');
  return row;
}

export async function memberOf(
  transaction: Transaction<Schema>,
  organizationId: number,
  userId: number,
): Promise<Member | undefined> {
  return await transaction
    .selectFrom('organization_members')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('left_at', '=', 0)
    .executeTakeFirst();
}

export interface Acting {
  id: number;
  caller: Caller;
  role: Member['role'];
  row: Row<'organizations'>;
}

export async function actFor(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  context: RequestContext,
  right: OrganizationRight,
): Promise<Acting> {
  const { id } = scopeIn(context);
  const caller = callerOf(context);
  const row = await lockOrganization(store, transaction, id);
  const member = await memberOf(transaction, id, caller.id);
  if (member === undefined) throw new AppError('organization_missing');
  if (!hasRight(member.role, right))
    throw new AppError('organization_right_missing', {
      role: ROLE_WORDS[member.role],
      roles: rolesWords(rolesFor(right)),
    });
  return { id, caller, role: member.role, row };
}

/** With the organization locked. */
export async function refuseWithoutOwner(
  transaction: Transaction<Schema>,
  { organization_id, role, user_id }: Member,
): Promise<void> {
  if (role !== 'owner') return;
  const { others } = await transaction
    .selectFrom('organization_members')
    .select((builder) => builder.fn.countAll<number>().as('others'))
    .where('organization_id', '=', organization_id)
    .where('role', '=', 'owner')
    .where('left_at', '=', 0)
    .where('user_id', '<>', user_id)
    .executeTakeFirstOrThrow();
  if (others === 0) throw new AppError('last_owner');
}
