// The user as the API returns it, and changes of the own account.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const USER_STATUS = { activated: 1, banned: 2, suspended: 3 } as const;

export const userView = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  email: z.string(),
  github_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  oidc_id: z.string(),
  /** Names of the bound accounts at their sites; empty when not known. */
  github_name: z.string(),
  wechat_name: z.string(),
  telegram_name: z.string(),
  linux_do_name: z.string(),
  oidc_name: z.string(),
  group: z.string(),
  quota: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  aff_code: z.string(),
  aff_count: z.number(),
  aff_quota: z.number(),
  aff_history_quota: z.number(),
  inviter_id: z.number(),
  created_at: z.number(),
  last_login_at: z.number(),
  DeletedAt: z.number().nullable(),
});
export type UserView = z.output<typeof userView>;

/** A user as an administrator above them sees it. */
export const managedUser = userView.extend({
  /** Part of `quota` that is held for running calls. */
  held_quota: z.number(),
  /** Why the system suspended the account; empty if it did not. */
  suspended_reason: z.string(),
  /** Signs in with a second factor or a passkey. */
  two_factor: z.boolean(),
  inviter_name: z.string(),
  /** Dividend rate of an agent; null when the user is none. */
  agent_rate_percent: z.number().nullable(),
});
export type ManagedUser = z.output<typeof managedUser>;

export const selfView = userView.extend({
  /** Part of `quota` that is held for running calls. */
  held_quota: z.number(),
  password_is_initial: z.boolean(),
  /** Is a reseller, or was one: what was earned stays. */
  is_agent: z.boolean(),
});
export type SelfView = z.output<typeof selfView>;

/** What is left of an account: lost with its deletion. */
export const accountLeft = z.object({
  quota: z.number(),
  /** Invite earnings that were not transferred. */
  aff_quota: z.number(),
  /** They end with the account. */
  plans: z.array(z.object({ plan_name: z.string(), left: z.number(), ends_at: z.number() })),
  /** Orders that may still be paid. A payment after the deletion is paid back. */
  open_orders: z.array(
    z.object({
      trade_no: z.string(),
      amount_minor: z.number(),
      currency: z.string(),
      currency_digits: z.number(),
    }),
  ),
});
export type AccountLeft = z.output<typeof accountLeft>;

export const selfChange = z.object({
  display_name: z.string().trim().max(20).optional(),
  original_password: z.string().max(1000).optional(),
  /** Blank means unchanged. */
  password: z.string().max(1000).optional(),
});

export const groupView = z.object({ ratio: z.number(), desc: z.string() });

export const users = {
  self: endpoint({
    method: 'GET',
    path: '/api/user/self',
    access: 'user',
    summary: { zh: '读取自己的账户', en: 'Read your own account' },
    returns: selfView,
  }),
  changeSelf: endpoint({
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    summary: { zh: '修改自己的账户', en: 'Change your own account' },
    body: selfChange,
    returns: z.null(),
    secret: true,
  }),
  selfLeft: endpoint({
    method: 'GET',
    path: '/api/user/self/left',
    access: 'user',
    summary: { zh: '删除账户会失去什么', en: 'What you would lose with your account' },
    returns: accountLeft,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/user/{id}',
    access: 'admin',
    summary: { zh: '读取用户', en: 'Read a user' },
    params: idParams,
    returns: managedUser,
  }),
  selfGroups: endpoint({
    method: 'GET',
    path: '/api/user/self/groups',
    access: 'user',
    organization: 'organization.read',
    summary: { zh: '可选分组与倍率', en: 'Groups you may use, with their ratios' },
    returns: z.record(z.string(), groupView),
  }),
  models: endpoint({
    method: 'GET',
    path: '/api/user/models',
    access: 'user',
    organization: 'organization.read',
    summary: { zh: '可用模型', en: 'Models available to you' },
    returns: z.array(z.string()),
  }),
};
