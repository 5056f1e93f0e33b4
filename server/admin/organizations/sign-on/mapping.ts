// What the groups of a person give: the highest of their roles, and the projects of all of them. Owners are never changed.
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { GivenRole } from '#contract/admin/organizations.ts';
import { memberOf } from '#server/admin/organizations/acting.ts';
import type { OrganizationKeys } from '#server/admin/organizations/dependencies.ts';
import { addMember } from '#server/admin/organizations/join.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';

type Group = Pick<Row<'sign_on_groups'>, 'role' | 'project_ids'>;
type Person = Pick<Row<'sign_on_people'>, 'id' | 'organization_id' | 'user_id' | 'claimed_groups'>;

export interface Given {
  role: GivenRole;
  /** None: all. */
  projectIds: readonly number[];
}

const RANK: readonly GivenRole[] = ['admin', 'billing', 'member', 'viewer'];

export const projectIdsIn = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));

/** A group without a role and without projects means nothing yet. */
export function givenBy(groups: readonly Group[], defaultRole: GivenRole): Given {
  const mapped = groups.filter(({ role, project_ids }) => role !== '' || project_ids !== '');
  const role = RANK.find((each) => mapped.some((group) => group.role === each)) ?? defaultRole;
  const isLimited = mapped.length > 0 && mapped.every(({ project_ids }) => project_ids !== '');
  const ids = isLimited ? new Set(mapped.flatMap(({ project_ids }) => projectIdsIn(project_ids))) : [];
  return { role, projectIds: [...ids].toSorted((left, right) => left - right) };
}

/** Undefined: no group of the organization gives anything, so members keep what they were given by hand. */
export async function readGiven(
  transaction: Transaction<Schema>,
  person: Person,
): Promise<Given | undefined> {
  const all = await transaction
    .selectFrom('sign_on_groups')
    .select(['id', 'name', 'external_id', 'role', 'project_ids'])
    .where('organization_id', '=', person.organization_id)
    .where((builder) => builder.or([builder('role', '<>', ''), builder('project_ids', '<>', '')]))
    .execute();
  if (all.length === 0) return undefined;
  const put = await transaction
    .selectFrom('sign_on_group_people')
    .select('group_id')
    .where('person_id', '=', person.id)
    .execute();
  const ids = new Set(put.map(({ group_id }) => group_id));
  const claimed = new Set(namesIn(person.claimed_groups).map((name) => name.toLowerCase()));
  const theirs = all.filter(
    ({ id, name, external_id }) =>
      ids.has(id) ||
      claimed.has(name.toLowerCase()) ||
      (external_id !== '' && claimed.has(external_id.toLowerCase())),
  );
  return givenBy(theirs, await defaultRole(transaction, person.organization_id));
}

const namesIn = (text: string): string[] => (text === '' ? [] : (JSON.parse(text) as string[]));

async function defaultRole(transaction: Transaction<Schema>, organizationId: number): Promise<GivenRole> {
  const provider = await transaction
    .selectFrom('sign_on_providers')
    .select('default_role')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return provider?.default_role ?? 'member';
}

/** With the organization locked; whether the membership is new. */
export async function becomeMember(
  transaction: Transaction<Schema>,
  person: Person,
  source: 'sign_on' | 'scim',
): Promise<boolean> {
  const { organization_id, user_id } = person;
  const given = await readGiven(transaction, person);
  const role = given?.role ?? (await defaultRole(transaction, organization_id));
  const project_ids = given?.projectIds.join(',') ?? '';
  return await addMember(transaction, { organization_id, user_id, role, source, project_ids });
}

export interface MemberChange {
  before: { user_id: number; role: string; project_ids: string };
  after: { user_id: number; role: string; project_ids: string; tokens_disabled: number };
}

/** With the organization locked. Undefined: nothing was to change. The caller audits it. */
export async function applyGroups(
  keys: Pick<OrganizationKeys, 'disableOfMember' | 'disableOutsideProjects'>,
  transaction: Transaction<Schema>,
  person: Person,
): Promise<MemberChange | undefined> {
  const { organization_id, user_id } = person;
  const member = await memberOf(transaction, organization_id, user_id);
  if (member === undefined || member.role === 'owner') return undefined;
  const given = await readGiven(transaction, person);
  if (given === undefined) return undefined;
  const { role } = given;
  const project_ids = given.projectIds.join(',');
  if (role === member.role && project_ids === member.project_ids) return undefined;
  await transaction
    .updateTable('organization_members')
    .set({ role, project_ids })
    .where('id', '=', member.id)
    .execute();
  let disabled = 0;
  // Keys that their holder may not use must not go on spending.
  if (!hasRight(role, 'tokens.own'))
    disabled = await keys.disableOfMember(transaction, organization_id, user_id);
  else if (given.projectIds.length > 0)
    disabled = await keys.disableOutsideProjects(transaction, organization_id, user_id, given.projectIds);
  return {
    before: { user_id, role: member.role, project_ids: member.project_ids },
    after: { user_id, role, project_ids, tokens_disabled: disabled },
  };
}
