// The caller's own account: the system access token, the transfer of invite rewards, and deletion.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { accountLeft } from './users.ts';

export const inviteTransferBody = z.object({
  quota: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  /** Idempotency key of one click: sent again it moves nothing. */
  request_id: z
    .string()
    .min(8)
    .max(64)
    .regex(/^[\w-]+$/)
    .optional(),
});

export const self = {
  /** A new token; the old one becomes invalid. Shown once, only its digest is stored. */
  accessToken: endpoint({
    method: 'GET',
    path: '/api/user/token',
    access: 'user',
    summary: { zh: '重置系统访问令牌', en: 'Reset your system access token' },
    returns: z.string(),
    acts: true,
    secret: true,
    sessionOnly: true,
    stepUp: true,
  }),
  inviteCode: endpoint({
    method: 'GET',
    path: '/api/user/aff',
    access: 'user',
    summary: { zh: '邀请码', en: 'Your invite code' },
    returns: z.string(),
  }),
  transferInvite: endpoint({
    method: 'POST',
    path: '/api/user/aff_transfer',
    access: 'user',
    summary: { zh: '划转邀请额度', en: 'Move invite earnings to your balance' },
    body: inviteTransferBody,
    returns: z.object({ quota: z.number(), aff_quota: z.number() }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    summary: { zh: '删除自己的账户', en: 'Delete your own account' },
    /** What the account still had. */
    returns: accountLeft,
    sessionOnly: true,
    stepUp: true,
  }),
};
