// User management for administrators. An administrator acts only on users of a lower role; other users are listed without
// their private fields.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import type { CustomProblem } from '#contract/problem-words.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { userPages } from './user-page.ts';
import { inviteFlags, userEntry } from './user-usage.ts';
import { accountLeft, managedUser } from './users.ts';

export const USER_SORTS = [
  'id',
  'username',
  'quota',
  'used_quota',
  'request_count',
  'aff_count',
  'created_at',
  'last_login_at',
] as const;
export const USER_STATES = ['activated', 'banned', 'suspended', 'deleted'] as const;
export const MANAGE_ACTIONS = ['promote', 'demote', 'disable', 'enable', 'delete'] as const;
export type ManageAction = (typeof MANAGE_ACTIONS)[number];

export const USERNAME_MAX = 64;
export const DISPLAY_NAME_MAX = 20;
export const QUOTA_REASON_MAX = 200;
export const USAGE_DAYS = 30;

/** Control and format characters make two names look alike. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u;
const printable = (text: string) => !UNPRINTABLE.test(text);

const listQuery = pageFromOne.extend({
  group: z.string().max(64).optional(),
  role: z.coerce.number().int().optional(),
  state: z.enum(USER_STATES).optional(),
  sort: z.enum(USER_SORTS).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

const userList = itemList(managedUser);

export const newUser = z.object({
  username: z
    .string()
    .trim()
    .max(USERNAME_MAX)
    .refine(printable, 'printable' satisfies CustomProblem),
  display_name: z.string().trim().max(DISPLAY_NAME_MAX).optional(),
  password: z.string().max(1000),
  group: z.string().trim().max(64).optional(),
  role: z.number().int().optional(),
});

const wholeQuota = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/**
 * Fields of a user that the editor of a user cannot set. Clients that send the whole user may repeat the value it has; another
 * value is refused instead of ignored. Counters (`used_quota`, `request_count` …) may be stale in such a body and are not read.
 */
export const userFixedFields = z.object({
  email: z.string().max(1000).optional(),
  role: z.number().optional(),
  status: z.number().optional(),
  github_id: z.string().max(1000).optional(),
  wechat_id: z.string().max(1000).optional(),
  telegram_id: z.string().max(1000).optional(),
  linux_do_id: z.string().max(1000).optional(),
  oidc_id: z.string().max(1000).optional(),
  aff_code: z.string().max(1000).optional(),
  aff_quota: z.number().optional(),
  inviter_id: z.number().optional(),
});

export const userChange = userFixedFields.extend({
  id: z.number().int().positive(),
  username: z
    .string()
    .trim()
    .max(USERNAME_MAX)
    .refine(printable, 'printable' satisfies CustomProblem)
    .optional(),
  display_name: z.string().trim().max(DISPLAY_NAME_MAX).optional(),
  group: z.string().trim().max(64).optional(),
  /** Blank means unchanged. */
  password: z.string().max(1000).optional(),
  /** Amount to add to the balance; a negative amount is deducted. */
  quota_change: z.number().int().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).optional(),
  /** Reason; the user sees it in the log. */
  quota_reason: z.string().trim().max(QUOTA_REASON_MAX).optional(),
  /** Idempotency key: a form that is sent twice changes the balance once. */
  quota_key: z.string().max(64).optional(),
  /** The whole balance, as older clients send it: booked as the difference to the loaded or the current balance. */
  quota: wholeQuota.optional(),
  loaded_quota: wholeQuota.optional(),
  based_on: basedOn,
});

const dayUse = z.object({
  /** The first second of a day of the site. */
  day: z.number(),
  quota: z.number(),
  count: z.number(),
  error_count: z.number(),
  tokens: z.number(),
});

export const userUsage = z.object({
  /** Oldest first, today last; always USAGE_DAYS of them. */
  days: z.array(dayUse),
  models: z.array(z.object({ model_name: z.string(), quota: z.number(), count: z.number() })),
  tokens: z.object({ total: z.number(), enabled: z.number() }),
  /** The last changes of the balance other than charges of calls. */
  entries: z.array(userEntry),
  last_call_at: z.number(),
  invites: inviteFlags,
});
export type UserUsage = z.output<typeof userUsage>;

export const userManagement = {
  list: endpoint({
    method: 'GET',
    path: '/api/user/',
    access: 'admin',
    summary: { zh: '用户列表', en: 'List users' },
    query: listQuery,
    returns: userList,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/user/search',
    access: 'admin',
    summary: { zh: '搜索用户', en: 'Search users' },
    query: listQuery.extend({ keyword: z.string().trim().max(100).default('') }),
    returns: userList,
    limit: 'search',
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/user/',
    access: 'admin',
    summary: { zh: '创建用户', en: 'Create a user' },
    body: newUser,
    returns: managedUser,
    secret: true,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/user/',
    access: 'admin',
    summary: { zh: '修改用户', en: 'Change a user' },
    body: userChange,
    returns: managedUser,
    secret: true,
  }),
  manage: endpoint({
    method: 'POST',
    path: '/api/user/manage',
    access: 'admin',
    summary: {
      zh: '提升、降级、禁用、启用或删除用户',
      en: 'Promote, demote, disable, enable or delete a user',
    },
    body: z.object({ id: z.number().int().positive(), action: z.enum(MANAGE_ACTIONS) }),
    /** `left`: what a deleted account still had. */
    returns: managedUser.extend({ left: accountLeft.optional() }),
  }),
  left: endpoint({
    method: 'GET',
    path: '/api/user/{id}/left',
    access: 'admin',
    summary: { zh: '删除用户会失去什么', en: 'What a user would lose with the account' },
    params: idParams,
    returns: accountLeft,
  }),
  usage: endpoint({
    method: 'GET',
    path: '/api/user/{id}/usage',
    access: 'admin',
    summary: { zh: '用户近期用量', en: 'Recent usage of a user' },
    params: idParams,
    returns: userUsage,
  }),
  resetTwoFactor: endpoint({
    method: 'POST',
    path: '/api/user/{id}/reset_two_factor',
    access: 'admin',
    summary: { zh: '重置用户的两步验证', en: 'Reset the two-factor sign-in of a user' },
    params: idParams,
    returns: managedUser,
  }),
  lift: endpoint({
    method: 'POST',
    path: '/api/user/{id}/lift',
    access: 'root',
    summary: { zh: '解除系统停用', en: 'Lift a suspension by the system' },
    params: idParams,
    body: z.object({ reason: z.string().trim().min(1).max(QUOTA_REASON_MAX) }),
    returns: managedUser,
  }),
  ...userPages,
};
