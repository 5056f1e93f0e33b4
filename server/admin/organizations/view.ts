// An organization as its members see it, and as the switcher lists it.
import { hasRight, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import type { OrganizationView, OwnOrganization } from '#contract/admin/organizations.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import type { OrganizationScope } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';
import { openOffer } from './ownership.ts';

type Db = Kysely<Schema>;

export async function ownOrganizations(db: Db, userId: number): Promise<OwnOrganization[]> {
  const rows = await db
    .selectFrom('organization_members')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .innerJoin('users', 'users.id', 'organizations.id')
    .select(['organizations.id', 'organizations.name', 'organization_members.role', 'users.status'])
    .where('organization_members.user_id', '=', userId)
    .where('organization_members.left_at', '=', 0)
    .where('organizations.deleted_at', 'is', null)
    .orderBy('organizations.name')
    .orderBy('organizations.id')
    .execute();
  return rows.map(({ status, ...row }) => ({ ...row, suspended: status !== USER_STATUS.activated }));
}

export const companyOf = (row: Row<'organizations'>) => ({
  company_name: row.company_name,
  company_address: row.company_address,
  tax_id: row.tax_id,
  billing_email: row.billing_email,
});

/** For a member with this role; the one of the scope may be older. */
export async function organizationView(
  db: Db,
  { id }: Pick<OrganizationScope, 'id'>,
  role: OrganizationRole,
): Promise<OrganizationView> {
  const [row, account, { members }] = await Promise.all([
    db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst(),
    db
      .selectFrom('users')
      .select(['status', 'suspended_reason', 'group'])
      .where('id', '=', id)
      .executeTakeFirst(),
    db
      .selectFrom('organization_members')
      .select((builder) => builder.fn.countAll<number>().as('members'))
      .where('organization_id', '=', id)
      .where('left_at', '=', 0)
      .executeTakeFirstOrThrow(),
  ]);
  if (row === undefined || account === undefined) throw new AppError('organization_missing');
  const { name, created_at } = row;
  const { status, suspended_reason, group } = account;
  return {
    id,
    name,
    role,
    suspended: status !== USER_STATUS.activated,
    suspended_reason,
    group,
    created_at,
    members,
    company: hasRight(role, 'billing.read') ? companyOf(row) : null,
    ownership_offer: await openOffer(db, id),
    answer_cache: row.answer_cache === 1,
  };
}
