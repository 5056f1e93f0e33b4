// Invites somebody by email or username, sends the mail again, or revokes the invitation.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  INVITATION_DAYS,
  INVITATION_RESEND_SECONDS,
  OPEN_INVITATIONS_MAX,
  type invitations,
} from '#contract/admin/organization-invitations.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import { actFor, memberOf, type Acting } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { invitationViews } from './invitation-view.ts';
import { putInvitationLetter } from './letters.ts';
import { revokeOne } from './revoke.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'letters' | 'settings'>;
type Invitation = Row<'organization_invitations'>;

/** The purpose under which the secrets of links are digested. */
export const INVITATION_PURPOSE = 'invitation';
const email = z.email().max(254);

export function invite(parts: Parts): Handler<typeof invitations.create> {
  const { store, letters } = parts;
  return async ({ body: { to, role } }, context) => {
    const id = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'members.manage');
      const invited = await whoIs(transaction, to);
      if (invited.userId === 0 && !letters.configured) throw new AppError('mail_not_configured');
      await refuseMember(transaction, acting.id, invited);
      await refuseOpen(transaction, acting.id, invited);
      const now = unixSeconds();
      const row = await transaction
        .insertInto('organization_invitations')
        .values({
          organization_id: acting.id,
          // An invitation by username is for that account alone; its mail only tells of it.
          email: invited.userId > 0 ? '' : invited.email,
          user_id: invited.userId,
          role,
          token_digest: null,
          invited_by: acting.caller.id,
          created_at: now,
          expires_at: now + INVITATION_DAYS * DAY_SECONDS,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await send(parts, transaction, acting, row, invited.email);
      const target = `organization:${acting.id}` as const;
      await context.audit(transaction, 'organization.invite', target, undefined, { id: row.id, to, role });
      return row.id;
    });
    letters.wake();
    return await oneInvitation(parts, id);
  };
}

export function resendInvitation(parts: Parts): Handler<typeof invitations.resend> {
  const { store, letters } = parts;
  return async ({ params }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'members.manage');
      const row = await transaction
        .selectFrom('organization_invitations')
        .selectAll()
        .where('id', '=', params.id)
        .where('organization_id', '=', acting.id)
        .where('kind', '=', 'join')
        .where('status', '=', 'open')
        .executeTakeFirst();
      if (row === undefined) throw new AppError('not_found');
      const now = unixSeconds();
      const seconds = row.sent_at + INVITATION_RESEND_SECONDS - now;
      if (seconds > 0) throw new AppError('invitation_sent_recently', { seconds });
      if (row.email !== '' && !letters.configured) throw new AppError('mail_not_configured');
      const expires_at = now + INVITATION_DAYS * DAY_SECONDS;
      await transaction
        .updateTable('organization_invitations')
        .set({ expires_at })
        .where('id', '=', row.id)
        .execute();
      const address = row.email || (await emailOf(transaction, row.user_id));
      await send(parts, transaction, acting, { ...row, expires_at }, address);
      const target = `organization:${acting.id}` as const;
      await context.audit(transaction, 'organization.resend_invitation', target, undefined, { id: row.id });
    });
    letters.wake();
    return await oneInvitation(parts, params.id);
  };
}

export function revokeInvitation({ store }: Pick<Parts, 'store'>): Handler<typeof invitations.revoke> {
  return async ({ params: { id } }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'members.manage');
      const revoked = await revokeOne(transaction, acting.id, id);
      if (revoked === undefined) throw new AppError('not_found');
      const target = `organization:${acting.id}` as const;
      await context.audit(transaction, 'organization.revoke_invitation', target, { id, ...revoked });
    });
    return null;
  };
}

interface Invited {
  /** 0: known by the address only. */
  userId: number;
  email: string;
}

async function whoIs(transaction: Transaction<Schema>, to: string): Promise<Invited> {
  if (email.safeParse(to).success) return { userId: 0, email: to.toLowerCase() };
  const user = await transaction
    .selectFrom('users')
    .select(['id', 'email'])
    .where(sql`lower(username)`, '=', sql`lower(${to})`)
    .where('kind', '=', 'person')
    .where('status', '=', USER_STATUS.activated)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) throw new AppError('invited_user_unknown', { name: to }, { field: 'to' });
  return { userId: user.id, email: user.email };
}

async function refuseMember(
  transaction: Transaction<Schema>,
  organizationId: number,
  invited: Invited,
): Promise<void> {
  const member =
    invited.userId > 0
      ? await memberOf(transaction, organizationId, invited.userId)
      : await transaction
          .selectFrom('organization_members')
          .innerJoin('users', 'users.id', 'organization_members.user_id')
          .select('users.id')
          .where('organization_members.organization_id', '=', organizationId)
          .where('organization_members.left_at', '=', 0)
          .where(sql`lower(users.email)`, '=', invited.email)
          .executeTakeFirst();
  if (member !== undefined) throw new AppError('already_member', {}, { field: 'to' });
}

/** Of this person, and too many of all. One that expired makes room for another. */
async function refuseOpen(
  transaction: Transaction<Schema>,
  organizationId: number,
  { userId, email: address }: Invited,
): Promise<void> {
  const open = await transaction
    .selectFrom('organization_invitations')
    .select(['user_id', 'email'])
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'join')
    .where('status', '=', 'open')
    .where('expires_at', '>', unixSeconds())
    .execute();
  const isSame = open.some((row) => (userId > 0 ? row.user_id === userId : row.email === address));
  if (isSame) throw new AppError('invitation_open', {}, { field: 'to' });
  if (open.length >= OPEN_INVITATIONS_MAX)
    throw new AppError('invitation_limit_reached', { limit: OPEN_INVITATIONS_MAX });
}

/** With a new link: the one of an earlier mail stops working. */
async function send(
  parts: Parts,
  transaction: Transaction<Schema>,
  { row: { name }, caller }: Acting,
  invitation: Invitation,
  recipient: string,
): Promise<void> {
  const { store, letters } = parts;
  const byMail = invitation.user_id === 0;
  const token = byMail ? randomBytes(32).toString('base64url') : undefined;
  const isSent = recipient !== '' && letters.configured;
  await transaction
    .updateTable('organization_invitations')
    .set({
      sent_at: isSent ? unixSeconds() : 0,
      ...(token === undefined ? {} : { token_digest: store.vault.digest(INVITATION_PURPOSE, token) }),
    })
    .where('id', '=', invitation.id)
    .execute();
  if (!isSent) return;
  await putInvitationLetter(parts, transaction, {
    organization: name,
    inviter: caller.username,
    role: invitation.role,
    recipient,
    token,
    expiresAt: invitation.expires_at,
  });
}

async function emailOf(transaction: Transaction<Schema>, userId: number): Promise<string> {
  const row = await transaction
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirst();
  return row?.email ?? '';
}

async function oneInvitation({ store }: Parts, id: number) {
  const [view] = await invitationViews(store.db, (query) => query.where('invitation.id', '=', id));
  if (view === undefined) throw new AppError('not_found');
  return view;
}
