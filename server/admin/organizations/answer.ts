// The invited person's side: reads, accepts or declines invitations and offers of ownership. An invitation by username is for that
// account; one by email for whoever has the link of the mail, or has bound the address.
import type { invitations } from '#contract/admin/organization-invitations.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Caller, type Handler } from '#server/admin/context.ts';
import { organizationSuspended } from '#server/admin/organization-suspended.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Kysely, Transaction } from 'kysely';
import { lockOrganization, memberOf } from './acting.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { readReceivedInvitations, stateOf } from './invitation-view.ts';
import { INVITATION_PURPOSE } from './invite.ts';
import { addMember } from './join.ts';

type Parts = Pick<OrganizationDependencies, 'store' | 'settings'>;
type Which = Input<typeof invitations.accept>['body'];
type Invitation = Row<'organization_invitations'>;

export async function ownEmail(db: Kysely<Schema>, userId: number): Promise<string> {
  const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
  return row?.email.toLowerCase() ?? '';
}

export function myInvitations({ store, settings }: Parts): Handler<typeof invitations.mine> {
  return async (_, context) =>
    settings.current.OrganizationsEnabled ? await openInvitations(store.db, callerOf(context).id) : [];
}

export async function openInvitations(db: Kysely<Schema>, userId: number) {
  const email = await ownEmail(db, userId);
  return await readReceivedInvitations(db, (rows) =>
    rows
      .where('invitation.status', '=', 'open')
      .where('invitation.expires_at', '>', unixSeconds())
      .where((builder) =>
        email === ''
          ? builder('invitation.user_id', '=', userId)
          : builder('invitation.user_id', '=', userId).or('invitation.email', '=', email),
      ),
  );
}

export function readByToken({ store, settings }: Parts): Handler<typeof invitations.readByToken> {
  return async ({ body: { token } }) => {
    if (!settings.current.OrganizationsEnabled) throw new AppError('organizations_disabled');
    const digest = store.vault.digest(INVITATION_PURPOSE, token);
    const [found] = await readReceivedInvitations(store.db, (rows) =>
      rows.where('invitation.token_digest', '=', digest),
    );
    if (found === undefined) throw new AppError('invitation_missing');
    return { ...found, id: 0 };
  };
}

export function acceptInvitation(parts: Parts): Handler<typeof invitations.accept> {
  const { store, settings } = parts;
  return async ({ body }, context) => {
    if (!settings.current.OrganizationsEnabled) throw new AppError('organizations_disabled');
    const caller = callerOf(context);
    const { id, organization_id } = await store.db.transaction().execute(async (transaction) => {
      const invitation = await lockInvitation(parts, transaction, caller, body);
      await refuseSuspended(transaction, invitation.organization_id);
      const target = `organization:${invitation.organization_id}` as const;
      const { kind, role } = invitation;
      const { organization_id } = invitation;
      const member = { organization_id, user_id: caller.id, role, source: 'invited' } as const;
      if (kind === 'join') await addMember(transaction, member);
      else await takeOwnership(transaction, caller, invitation);
      await answer(transaction, caller, invitation, 'accepted');
      const action = kind === 'join' ? 'organization.accept' : 'organization.accept_ownership';
      const after = { invitation: invitation.id, user_id: caller.id, role };
      await context.audit(transaction, action, target, undefined, after);
      return invitation;
    });
    await store.changes.announce('organizations', String(organization_id));
    const [view] = await readReceivedInvitations(store.db, (rows) => rows.where('invitation.id', '=', id));
    if (view === undefined) throw new AppError('invitation_missing');
    return view;
  };
}

export function declineInvitation(parts: Parts): Handler<typeof invitations.decline> {
  const { store, settings } = parts;
  return async ({ body }, context) => {
    if (!settings.current.OrganizationsEnabled) throw new AppError('organizations_disabled');
    const caller = callerOf(context);
    await store.db.transaction().execute(async (transaction) => {
      const invitation = await lockInvitation(parts, transaction, caller, body);
      await answer(transaction, caller, invitation, 'declined');
      const target = `organization:${invitation.organization_id}` as const;
      const { id, kind, role } = invitation;
      await context.audit(transaction, 'organization.decline', target, { invitation: id, kind, role });
    });
    return null;
  };
}

/** Open and for this caller, with its organization locked: of two answers at once the second finds it answered. */
async function lockInvitation(
  { store }: Parts,
  transaction: Transaction<Schema>,
  caller: Caller,
  which: Which,
): Promise<Invitation> {
  const found = transaction
    .selectFrom('organization_invitations')
    .selectAll()
    .where((builder) =>
      'id' in which
        ? builder('id', '=', which.id)
        : builder('token_digest', '=', store.vault.digest(INVITATION_PURPOSE, which.token)),
    );
  const before = await found.executeTakeFirst();
  if (before === undefined) throw new AppError('invitation_missing');
  await lockOrganization(store, transaction, before.organization_id);
  const row = await found.executeTakeFirst();
  if (row === undefined || !(await isFor(transaction, caller, row, which)))
    throw new AppError('invitation_missing');
  const state = stateOf(row, unixSeconds());
  if (state === 'expired') throw new AppError('invitation_expired');
  if (state === 'revoked') throw new AppError('invitation_missing');
  if (state !== 'open') throw new AppError('invitation_answered');
  return row;
}

async function isFor(
  transaction: Transaction<Schema>,
  caller: Caller,
  row: Invitation,
  which: Which,
): Promise<boolean> {
  if ('token' in which) return true;
  if (row.user_id > 0) return row.user_id === caller.id;
  const email = await ownEmail(transaction, caller.id);
  return email !== '' && email === row.email;
}

async function refuseSuspended(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  const account = await transaction
    .selectFrom('users')
    .select('status')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (account?.status !== USER_STATUS.activated) throw organizationSuspended();
}

/** Offers of somebody who lost the ownership, and to somebody who left, are revoked with that; here it is checked again. */
async function takeOwnership(
  transaction: Transaction<Schema>,
  caller: Caller,
  { organization_id, invited_by, then_role }: Invitation,
): Promise<void> {
  const [receiver, giver] = [
    await memberOf(transaction, organization_id, caller.id),
    await memberOf(transaction, organization_id, invited_by),
  ];
  if (receiver === undefined || giver?.role !== 'owner') throw new AppError('invitation_missing');
  const setRole = (id: number, role: Invitation['role']) =>
    transaction.updateTable('organization_members').set({ role }).where('id', '=', id).execute();
  await setRole(receiver.id, 'owner');
  if (then_role !== '' && then_role !== 'owner') await setRole(giver.id, then_role);
}

async function answer(
  transaction: Transaction<Schema>,
  caller: Caller,
  { id }: Invitation,
  status: 'accepted' | 'declined',
): Promise<void> {
  await transaction
    .updateTable('organization_invitations')
    .set({ status, answered_at: unixSeconds(), answered_by: caller.id })
    .where('id', '=', id)
    .execute();
}
