// Invitations by email as OpenAI's invites. One that was declined or revoked is not listed.
import type { Row } from '#server/platform/store/schema.ts';
import { unixSeconds } from '#contract/time.ts';
import {
  idIn,
  notFound,
  pageOf,
  refuseOthers,
  textIn,
  unsupported,
  type Answering,
  type Asked,
} from './asked.ts';
import { roleHere, roleThere } from './users.ts';

type Invitation = Row<'organization_invitations'>;

const inviteId = (id: number): string => `invite-${id}`;

const invitesOf = ({ store, organizationId }: Asked) =>
  store.db
    .selectFrom('organization_invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'join')
    // One by username has no address, which a client of this format needs.
    .where('email', '<>', '')
    .where('status', 'in', ['open', 'accepted']);

const shapeOf = (invitation: Invitation, now: number) => ({
  object: 'organization.invite' as const,
  id: inviteId(invitation.id),
  email: invitation.email,
  role: roleThere(invitation.role),
  organization_role: invitation.role,
  status:
    invitation.status === 'accepted' ? 'accepted' : invitation.expires_at <= now ? 'expired' : 'pending',
  created_at: invitation.created_at,
  expires_at: invitation.expires_at,
  accepted_at: invitation.status === 'accepted' ? invitation.answered_at : null,
  projects: [],
});

async function readInvite(asked: Asked): Promise<Invitation> {
  const row = await invitesOf(asked).where('id', '=', idIn(asked.ids['invite'], 'invite')).executeTakeFirst();
  if (row === undefined) throw notFound('invite');
  return row;
}

export const listInvites: Answering = async (asked) =>
  await pageOf(asked, 'invite', async (after, limit) => {
    const rows = await invitesOf(asked)
      .$if(after !== undefined, (query) => query.where('id', '>', after ?? 0))
      .orderBy('id')
      .limit(limit)
      .execute();
    const now = unixSeconds();
    return rows.map((row) => shapeOf(row, now));
  });

export const retrieveInvite: Answering = async (asked) => shapeOf(await readInvite(asked), unixSeconds());

export const createInvite: Answering = async (asked) => {
  refuseOthers(asked, ['email', 'role', 'projects']);
  const { projects } = asked.body;
  if (Array.isArray(projects) && projects.length > 0)
    throw unsupported(
      'Every member reaches all projects of the organization: leave projects out.',
      'projects',
    );
  const to = textIn(asked, 'email');
  if (!to.includes('@')) throw unsupported('An email address is needed.', 'email');
  const { id } = await asked.client.invitations.create({ body: { to, role: roleHere(asked) } });
  return shapeOf(await readInvite({ ...asked, ids: { invite: String(id) } }), unixSeconds());
};

export const removeInvite: Answering = async (asked) => {
  const { id } = await readInvite(asked);
  await asked.client.invitations.revoke({ params: { id } });
  return { object: 'organization.invite.deleted', id: inviteId(id), deleted: true };
};
