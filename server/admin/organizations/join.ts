// A person becomes a member: by an invitation, by signing in, by SCIM, by an import.
import { MEMBERS_PER_ORGANIZATION } from '#contract/admin/organizations.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import { memberOf } from './acting.ts';

type Membership = Pick<Row<'organization_members'>, 'organization_id' | 'user_id' | 'role' | 'source'> &
  Partial<Pick<Row<'organization_members'>, 'project_ids'>>;

/** With the organization locked; whether the membership is new. Somebody who is a member already keeps the role. */
export async function addMember(transaction: Transaction<Schema>, member: Membership): Promise<boolean> {
  const { organization_id, user_id } = member;
  if ((await memberOf(transaction, organization_id, user_id)) !== undefined) return false;
  const { total } = await transaction
    .selectFrom('organization_members')
    .select(sql<number>`count(*)`.as('total'))
    .where('organization_id', '=', organization_id)
    .where('left_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (total >= MEMBERS_PER_ORGANIZATION)
    throw new AppError('member_limit_reached', { limit: MEMBERS_PER_ORGANIZATION });
  await transaction
    .insertInto('organization_members')
    .values({ ...member, joined_at: unixSeconds() })
    .execute();
  return true;
}
