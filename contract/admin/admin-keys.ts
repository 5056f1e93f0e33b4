// Admin keys: they read usage and cost reports in the formats of OpenAI and Anthropic, and call no model. One of an organization
// also manages it (`/v1/organization`), as the member who made it and only while that member may.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const ADMIN_KEYS_MAX = 20;
export const ADMIN_KEY_NAME_MAX = 60;
/** Both are read: tools of Anthropic's API refuse a key that does not begin like Anthropic's. */
export const ADMIN_KEY_PREFIX = 'sk-admin-';
export const ANTHROPIC_ADMIN_KEY_PREFIX = 'sk-ant-admin01-';

export const ADMIN_KEY_SCOPES = ['user', 'site', 'organization'] as const;

export const adminKeyView = z.object({
  id: z.number(),
  name: z.string(),
  /** `user`: the own calls; `site`: the calls of everyone; `organization`: those of the organization, and its members and projects. */
  scope: z.enum(ADMIN_KEY_SCOPES),
  /** The first and the last characters. */
  key: z.string(),
  created_at: z.number(),
  /** Of an organization: the member who made it, and as whom it acts. */
  created_by_name: z.string(),
  /** 0 = never. */
  last_used_at: z.number(),
});
export type AdminKeyView = z.output<typeof adminKeyView>;

const adminKeyCreate = z.object({ name: z.string().trim().min(1).max(ADMIN_KEY_NAME_MAX) });

export const adminKeys = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin_key/',
    access: 'user',
    organization: 'organization.manage',
    summary: { zh: '自己或组织的管理密钥', en: 'List your own admin keys or those of an organization' },
    returns: z.array(adminKeyView),
  }),
  /** The key is in this answer only. */
  create: endpoint({
    method: 'POST',
    path: '/api/admin_key/',
    access: 'user',
    organization: 'organization.manage',
    summary: {
      zh: '创建自己用量或组织的管理密钥',
      en: 'Create an admin key for your own usage or for an organization',
    },
    body: adminKeyCreate,
    returns: adminKeyView,
    sessionOnly: true,
    stepUp: true,
    secret: true,
  }),
  createForSite: endpoint({
    method: 'POST',
    path: '/api/admin_key/site',
    access: 'root',
    summary: { zh: '创建全站用量的管理密钥', en: 'Create an admin key for the usage of the whole site' },
    body: adminKeyCreate,
    returns: adminKeyView,
    sessionOnly: true,
    stepUp: true,
    secret: true,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/admin_key/{id}/',
    access: 'user',
    organization: 'organization.manage',
    summary: { zh: '吊销管理密钥', en: 'Revoke an admin key' },
    params: idParams,
    returns: z.null(),
  }),
};
