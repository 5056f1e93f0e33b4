// Members as OpenAI's users of an organization. Who may manage it is `owner` there, everybody else `reader`; the role's own name is
// beside it, and may be given.
import { hasRight, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import { givenRole, type GivenRole } from '#contract/admin/organizations.ts';
import {
  ApiProblem,
  idIn,
  notFound,
  pageOf,
  refuseOthers,
  textIn,
  type Answering,
  type Asked,
} from './asked.ts';

export interface Member {
  user_id: number;
  role: OrganizationRole;
  joined_at: number;
  username: string;
  display_name: string;
  email: string;
}

export const userId = (id: number): string => `user-${id}`;

export const roleThere = (role: OrganizationRole): 'owner' | 'reader' =>
  hasRight(role, 'organization.manage') ? 'owner' : 'reader';

const ROLES: Readonly<Record<string, GivenRole>> = {
  // Ownership is offered to a member, who accepts it.
  owner: 'admin',
  reader: 'member',
  ...Object.fromEntries(givenRole.options.map((role) => [role, role])),
};

export function roleHere(asked: Asked): GivenRole {
  const role = ROLES[textIn(asked, 'role')];
  if (role !== undefined) return role;
  const known = Object.keys(ROLES).join(', ');
  throw new ApiProblem(400, 'invalid_value', `role: one of ${known}`, 'role');
}

export const membersOf = ({ store, organizationId }: Pick<Asked, 'store' | 'organizationId'>) =>
  store.db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['organization_members.user_id', 'organization_members.role', 'organization_members.joined_at'])
    .select(['users.username', 'users.display_name', 'users.email'])
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.left_at', '=', 0);

export async function readMember(asked: Asked, text: string | undefined): Promise<Member> {
  const id = idIn(text, 'user');
  const row = await membersOf(asked).where('organization_members.user_id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('user');
  return row;
}

export const nameOf = ({ display_name, username }: Pick<Member, 'display_name' | 'username'>): string =>
  display_name || username;

const shapeOf = (member: Member) => ({
  object: 'organization.user' as const,
  id: userId(member.user_id),
  name: nameOf(member),
  email: member.email === '' ? null : member.email,
  role: roleThere(member.role),
  organization_role: member.role,
  added_at: member.joined_at,
});

export const listUsers: Answering = async (asked) => {
  const emails = asked.parameters.list('emails')?.map((email) => email.toLowerCase());
  return await pageOf(asked, 'user', async (after, limit) => {
    const rows = await membersOf(asked)
      .$if(after !== undefined, (query) => query.where('organization_members.user_id', '>', after ?? 0))
      .$if(emails !== undefined, (query) => query.where('users.email', 'in', emails ?? []))
      .orderBy('organization_members.user_id')
      .limit(limit)
      .execute();
    return rows.map(shapeOf);
  });
};

export const retrieveUser: Answering = async (asked) => shapeOf(await readMember(asked, asked.ids['user']));

export const changeUser: Answering = async (asked) => {
  refuseOthers(asked, ['role']);
  const { user_id, role } = await readMember(asked, asked.ids['user']);
  const wanted = roleHere(asked);
  if (role !== wanted) await asked.client.members.changeRole({ params: { user_id }, body: { role: wanted } });
  return shapeOf(await readMember(asked, asked.ids['user']));
};

/** The keys of the member are disabled. */
export const removeUser: Answering = async (asked) => {
  const { user_id } = await readMember(asked, asked.ids['user']);
  await asked.client.members.remove({ params: { user_id }, body: {} });
  return { object: 'organization.user.deleted', id: userId(user_id), deleted: true };
};
