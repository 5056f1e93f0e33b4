// Invitations to an organization, by username or email, and offers of its ownership. Whoever gets one accepts or declines it.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { ORGANIZATION_ROLES } from './organization-rights.ts';
import { givenRole } from './organizations.ts';

/** The page of the console that the link of a mail opens, with `?token=` for an invitation by email. */
export const INVITATION_PATH = '/invitation';
export const INVITATION_DAYS = 7;
export const INVITATION_RESEND_SECONDS = 60;
export const OPEN_INVITATIONS_MAX = 200;
export const INVITATION_STATES = ['open', 'accepted', 'declined', 'revoked', 'expired'] as const;

const role = z.enum(ORGANIZATION_ROLES);
const state = z.enum(INVITATION_STATES);

export const invitationView = z.object({
  id: z.number(),
  /** Blank for an invitation by username. */
  email: z.string(),
  /** 0 and blank for an invitation by email. */
  user_id: z.number(),
  username: z.string(),
  role,
  state,
  invited_by: z.number(),
  invited_by_name: z.string(),
  created_at: z.number(),
  expires_at: z.number(),
  /** When a mail was sent last; 0: none. */
  sent_at: z.number(),
});
export type InvitationView = z.output<typeof invitationView>;

/** What the invited person sees. */
export const receivedInvitation = z.object({
  /** 0 when it was read by its link: then the link answers it. */
  id: z.number(),
  kind: z.enum(['join', 'ownership']),
  organization_id: z.number(),
  organization_name: z.string(),
  role,
  invited_by_name: z.string(),
  state,
  expires_at: z.number(),
});
export type ReceivedInvitation = z.output<typeof receivedInvitation>;

const secret = z.string().trim().min(20).max(200);
/** `id`: of an invitation to the caller's account; `token`: of the link in a mail. */
const which = z.union([
  z.object({ id: z.number().int().positive() }).strict(),
  z.object({ token: secret }).strict(),
]);

export const invitations = {
  list: endpoint({
    method: 'GET',
    path: '/api/organization/invitations',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '邀请列表', en: 'List the invitations' },
    query: pageFromOne.extend({ state: state.optional() }),
    returns: itemList(invitationView),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/organization/invitations',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '邀请成员', en: 'Invite somebody' },
    body: z.object({
      /** An email address or a username. */
      to: z.string().trim().min(1).max(255),
      role: givenRole,
    }),
    returns: invitationView,
    limit: 'search',
    limitPer: 'user',
  }),
  /** Sends the mail again, with a new link, and begins its days anew. */
  resend: endpoint({
    method: 'POST',
    path: '/api/organization/invitations/{id}/resend',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '重新发送邀请', en: 'Send an invitation again' },
    params: idParams,
    returns: invitationView,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/organization/invitations/{id}',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '撤销邀请', en: 'Revoke an invitation' },
    params: idParams,
    returns: z.null(),
  }),
  mine: endpoint({
    method: 'GET',
    path: '/api/organization/invited',
    access: 'user',
    summary: { zh: '我收到的邀请', en: 'Invitations to you' },
    returns: z.array(receivedInvitation),
  }),
  /** For the page of the link, before its reader signs in. */
  readByToken: endpoint({
    method: 'POST',
    path: '/api/organization/invited/read',
    access: 'visitor',
    summary: { zh: '凭链接读取邀请', en: 'Read an invitation by its link' },
    body: z.object({ token: secret }),
    returns: receivedInvitation,
    limit: 'guess',
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/organization/invited/accept',
    access: 'user',
    summary: { zh: '接受邀请', en: 'Accept an invitation' },
    body: which,
    returns: receivedInvitation,
    limit: 'guess',
  }),
  decline: endpoint({
    method: 'POST',
    path: '/api/organization/invited/decline',
    access: 'user',
    summary: { zh: '拒绝邀请', en: 'Decline an invitation' },
    body: which,
    returns: z.null(),
    limit: 'guess',
  }),
};
