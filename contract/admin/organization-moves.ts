// Money between a personal balance and that of an organization, or between two organizations of one owner. What leaves an
// organization is accepted by another of its owners, where there is one.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const OPEN_MOVES_MAX = 20;

const amount = z.number().int().positive().max(1_000_000_000_000);
/** A retry of the same form is one request. */
const request_id = z.string().min(8).max(64);

export const moveView = z.object({
  id: z.number(),
  direction: z.enum(['in', 'out']),
  /** The other balance: a person, or an organization. */
  other_id: z.number(),
  other_name: z.string(),
  amount: z.number(),
  reason: z.string(),
  status: z.enum(['open', 'done', 'declined']),
  asked_by: z.number(),
  asked_by_name: z.string(),
  created_at: z.number(),
  decided_by_name: z.string(),
  decided_at: z.number(),
  /** The caller may accept it. */
  may_accept: z.boolean(),
});
export type MoveView = z.output<typeof moveView>;

const PATH = '/api/organization/moves';
const scoped = { access: 'user', organizationOnly: true } as const;

export const moves = {
  /** Newest first, open ones before the others. */
  list: endpoint({
    ...scoped,
    method: 'GET',
    path: PATH,
    organization: 'billing.read',
    summary: { zh: '组织与其他余额之间的划转', en: 'List the money moved into and out of the organization' },
    returns: z.array(moveView),
  }),
  /** From the caller's personal balance, at once. */
  into: endpoint({
    ...scoped,
    method: 'POST',
    path: `${PATH}/in`,
    organization: 'billing.manage',
    summary: { zh: '从个人余额划转到组织', en: 'Move money from your balance into the organization' },
    body: z.object({ amount, request_id }),
    returns: moveView,
  }),
  /** To the balance of a member, or of another organization that the caller owns. At once if no other owner could accept it. */
  out: endpoint({
    ...scoped,
    method: 'POST',
    path: `${PATH}/out`,
    organization: 'billing.manage',
    stepUp: true,
    summary: { zh: '申请从组织划转出去', en: 'Ask to move money out of the organization' },
    body: z.object({
      amount,
      request_id,
      to_user_id: z.number().int().positive().optional(),
      to_organization_id: z.number().int().positive().optional(),
      reason: z.string().trim().max(500).default(''),
    }),
    returns: moveView,
  }),
  accept: endpoint({
    ...scoped,
    method: 'POST',
    path: `${PATH}/{id}/accept`,
    organization: 'billing.release',
    stepUp: true,
    summary: { zh: '同意划转', en: 'Accept that money leaves the organization' },
    params: idParams,
    returns: moveView,
  }),
  /** Also by who asked. */
  decline: endpoint({
    ...scoped,
    method: 'POST',
    path: `${PATH}/{id}/decline`,
    organization: 'billing.manage',
    summary: { zh: '拒绝或撤回划转', en: 'Decline or withdraw a move of money' },
    params: idParams,
    returns: moveView,
  }),
};
