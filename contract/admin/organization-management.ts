// Organizations for the administrators of the site: find, suspend, help.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { memberView } from './organizations.ts';

export const ORGANIZATION_STATES = ['active', 'suspended', 'deleted'] as const;
export const ORGANIZATION_SORTS = ['id', 'name', 'quota', 'used_quota', 'members', 'created_at'] as const;
const REASON_MAX = 200;

export const managedOrganization = z.object({
  id: z.number(),
  name: z.string(),
  /** The name of its account in logs and lists of the site. */
  username: z.string(),
  state: z.enum(ORGANIZATION_STATES),
  suspended_reason: z.string(),
  group: z.string(),
  quota: z.number(),
  held_quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  members: z.number(),
  owners: z.array(z.object({ user_id: z.number(), username: z.string() })),
  created_at: z.number(),
  created_by: z.number(),
  created_by_name: z.string(),
});
export type ManagedOrganization = z.output<typeof managedOrganization>;

const reason = z.string().trim().max(REASON_MAX);

export const organizationManagement = {
  list: endpoint({
    method: 'GET',
    path: '/api/organization/',
    access: 'admin',
    summary: { zh: '所有组织', en: 'List all organizations' },
    query: pageFromOne.extend({
      keyword: z.string().trim().max(100).default(''),
      state: z.enum(ORGANIZATION_STATES).optional(),
      group: z.string().max(64).optional(),
      sort: z.enum(ORGANIZATION_SORTS).optional(),
      order: z.enum(['asc', 'desc']).optional(),
    }),
    returns: itemList(managedOrganization),
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/organization/{id}',
    access: 'admin',
    summary: { zh: '读取任一组织', en: 'Read any organization' },
    params: idParams,
    /** The first hundred members, owners first. */
    returns: managedOrganization.extend({ people: z.array(memberView) }),
  }),
  /** A suspended one can be read but not changed, and its keys are refused. */
  suspend: endpoint({
    method: 'POST',
    path: '/api/organization/{id}/suspend',
    access: 'admin',
    summary: { zh: '停用组织', en: 'Suspend an organization' },
    params: idParams,
    body: z.object({ reason: reason.default('') }),
    returns: managedOrganization,
  }),
  lift: endpoint({
    method: 'POST',
    path: '/api/organization/{id}/lift',
    access: 'admin',
    summary: { zh: '恢复组织', en: 'Lift the suspension of an organization' },
    params: idParams,
    returns: managedOrganization,
  }),
  setGroup: endpoint({
    method: 'POST',
    path: '/api/organization/{id}/group',
    access: 'admin',
    summary: { zh: '设置组织的价格分组', en: 'Set the price group of an organization' },
    params: idParams,
    body: z.object({ group: z.string().trim().min(1).max(64) }),
    returns: managedOrganization,
  }),
  /** For an organization whose owners are gone: makes the user an owner, a member or not. */
  addOwner: endpoint({
    method: 'POST',
    path: '/api/organization/{id}/owner',
    access: 'admin',
    stepUp: true,
    summary: { zh: '添加所有者', en: 'Add an owner' },
    params: idParams,
    body: z.object({ user_id: z.number().int().positive() }),
    returns: managedOrganization,
  }),
  /** Books an amount on its balance, with the reason in its log. */
  adjustBalance: endpoint({
    method: 'POST',
    path: '/api/organization/{id}/balance',
    access: 'admin',
    summary: { zh: '调整组织的余额', en: 'Adjust the balance of an organization' },
    params: idParams,
    body: z.object({
      /** Quota to add; negative: to take away. */
      quota_change: z.number().int().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER),
      quota_reason: reason.optional(),
      /** Idempotency key: a form that is sent twice books once. */
      quota_key: z.string().max(64).optional(),
    }),
    returns: managedOrganization,
  }),
};
