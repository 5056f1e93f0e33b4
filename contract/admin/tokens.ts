// API tokens: keys with which users call models.
import { z } from 'zod';
import { DRAWING_SPEEDS } from '#contract/relay/drawing.ts';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { leakedKeys } from './leaked-keys.ts';
import {
  holderFacets,
  TOKEN_CHANGING,
  TOKEN_READING,
  tokenHolder,
  tokenHolderView,
} from './token-holders.ts';
import { tokenPages } from './token-page.ts';
import { idParams, listCounts, pageFromZero, queryFlag } from '#contract/lists.ts';

export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const;
export const TOKEN_NEVER_EXPIRES = -1;
export const TOKEN_BATCH_MAX = 100;
export const TOKEN_SUFFIX_LENGTH = 6;
export const TOKEN_DEFAULT_QUOTA = 500_000;
export const TOKEN_QUOTA_PRESETS_DOLLARS = [1, 10, 50, 100, 500, 1000] as const;
export const TOKEN_BATCH_PRESETS = [10, 20, 30, 100] as const;
export const TOKEN_KEY_PREFIX = 'sk-';
export const TOKEN_KEY_LENGTH = 48;
export const TOKEN_MAX_PER_USER = 1000;
/** How long a deletion can be undone. */
export const TOKEN_RESTORE_SECONDS = 600;
export const SPARK_DAYS = 14;
export const TOKEN_CACHE_MOST_SECONDS = 30 * 86_400;

const quota = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const limit = z.number().int().min(0).max(1_000_000_000);
const addressLines = z.string().max(20_000);

/** Fields that the owner sets. `0` in a limit or budget means none. */
export const tokenFields = z.object({
  name: z.string().trim(),
  expired_time: z.number().int().min(-1).max(253_402_300_799),
  remain_quota: quota,
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  /** Comma list of model names. */
  model_limits: z.string().max(50_000),
  /** One address or CIDR range per line, v4 or v6; empty allows every address. */
  allow_ips: addressLines,
  /** Same form; wins over the allow list. */
  deny_ips: addressLines,
  /** Empty: the owner's own group. */
  group: z.string().max(64),
  requests_per_minute: limit,
  tokens_per_minute: limit,
  concurrent_calls: limit,
  /** Message for callers over a rate limit, in place of the standard one. */
  rate_limit_message: z.string().trim().max(200),
  day_budget: quota,
  month_budget: quota,
  /** A call that would lose something between two wire formats is refused. */
  strict_conversion: z.boolean(),
  /** Whether answers to its calls are kept for equal ones; empty: as the organization or the site says. */
  answer_cache: z.enum(['', 'on', 'off']),
  /** How long they are kept; 0: as long as the site does. */
  answer_cache_seconds: z.number().int().min(0).max(TOKEN_CACHE_MOST_SECONDS),
  /** Speed of drawings whose call names none; empty: the upstream decides. */
  mj_mode: z.enum(['', ...DRAWING_SPEEDS]),
  /** Serves pictures from this site's address, even if the site's setting is off. */
  mj_image_proxy: z.boolean(),
  /** Another channel may be used when the first has no room for a drawing. */
  mj_backup_pool: z.boolean(),
});
export type TokenFields = z.output<typeof tokenFields>;

export const TOKEN_DEFAULTS: TokenFields = {
  name: '',
  expired_time: TOKEN_NEVER_EXPIRES,
  remain_quota: TOKEN_DEFAULT_QUOTA,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  deny_ips: '',
  group: '',
  requests_per_minute: 0,
  tokens_per_minute: 0,
  concurrent_calls: 0,
  rate_limit_message: '',
  day_budget: 0,
  month_budget: 0,
  strict_conversion: false,
  answer_cache: '',
  answer_cache_seconds: 0,
  mj_mode: '',
  mj_image_proxy: false,
  mj_backup_pool: true,
};

export const tokenView = tokenFields.extend({
  ...tokenHolderView.partial().shape,
  id: z.number(),
  user_id: z.number(),
  /** Without the `sk-` prefix. Whole for the owner's browser session, masked otherwise. */
  key: z.string(),
  status: z.number(),
  used_quota: z.number(),
  /** Part of `remain_quota` that is held for running calls. */
  held_quota: z.number(),
  created_time: z.number(),
  accessed_time: z.number(),
  /** Of the day and month that are open of the budgets (contract/money/budget-windows.ts). */
  day_used: z.number(),
  month_used: z.number(),
  /** Quota used per day, oldest first, today last. */
  recent_quota: z.array(z.number()),
});
export type TokenView = z.output<typeof tokenView>;

/** The state now: an enabled token is expired or exhausted as soon as its time or quota ends, before its row is updated. */
export function tokenStatusAt(
  token: Pick<TokenView, 'status' | 'expired_time' | 'remain_quota'> & { unlimited_quota: boolean | number },
  nowSeconds: number,
): number {
  if (token.status !== TOKEN_STATUS.enabled) return token.status;
  if (tokenExpired(token, nowSeconds)) return TOKEN_STATUS.expired;
  if (tokenExhausted(token)) return TOKEN_STATUS.exhausted;
  return TOKEN_STATUS.enabled;
}

export function tokenExpired(token: Pick<TokenView, 'expired_time'>, nowSeconds: number): boolean {
  return token.expired_time !== TOKEN_NEVER_EXPIRES && token.expired_time <= nowSeconds;
}

export function tokenExhausted(token: { unlimited_quota: boolean | number; remain_quota: number }): boolean {
  return !token.unlimited_quota && token.remain_quota <= 0;
}

/** The names of a comma list, each once, in the order given; line breaks and the Chinese comma separate too. */
export function modelLimitList(text: string): string[] {
  const names = text.split(/[,，\r\n]+/).map((name) => name.trim());
  return [...new Set(names)].filter(Boolean);
}

/** POST takes any subset with a name; missing fields get their defaults. */
export const tokenCreate = tokenFields.partial().extend({
  ...tokenHolder.shape,
  count: z.number().int().min(1).max(TOKEN_BATCH_MAX).optional(),
  /** Suffixes of the second and the next tokens, so that a form can show the names before; the server chooses missing ones. */
  suffixes: z
    .array(z.string().regex(/^[A-Za-z\d]{6}$/))
    .max(TOKEN_BATCH_MAX - 1)
    .optional(),
});

/**
 * PUT takes any subset beside the id. `loaded_remain_quota` is what the form was loaded with: the new quota is
 * booked as a difference against it, so spending during the edit is not undone.
 */
export const tokenChange = tokenFields.partial().extend({
  ...tokenHolder.shape,
  id: z.number().int().positive(),
  status: z.number().int().min(1).max(4).optional(),
  loaded_remain_quota: quota.optional(),
  based_on: basedOn,
});

export const TOKEN_BATCH_ACTIONS = ['enable', 'disable', 'delete', 'restore'] as const;

export const tokenBatch = z.object({
  ids: z.array(z.number().int().positive()).min(1).max(TOKEN_MAX_PER_USER),
  action: z.enum(TOKEN_BATCH_ACTIONS),
});

/** A token that may not be enabled stays as it is; the others of the batch change. Unknown ids are in neither list. */
export const tokenBatchResult = z.object({
  changed: z.array(z.number()),
  refused: z.array(z.number()),
});

const facets = z.object({
  ...holderFacets.shape,
  status: z.coerce.number().int().min(1).max(4).optional(),
  /** A token without a group counts for its owner's group. */
  group: z.string().max(64).optional(),
  expiry: z.enum(['never', 'week', 'expired']).optional(),
  sort: z
    .enum(['id', 'name', 'used_quota', 'remain_quota', 'created_time', 'expired_time', 'accessed_time'])
    .optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

const totals = listCounts.extend({
  /** Over the whole filter, not the page. */
  used_quota: z.number(),
  usable: z.number(),
  recent_quota: z.number(),
});

export const tokens = {
  list: endpoint({
    method: 'GET',
    path: '/api/token/',
    access: 'user',
    organization: TOKEN_READING,
    summary: { zh: '令牌列表', en: 'List your API keys' },
    query: pageFromZero.extend(facets.shape),
    returns: z.array(tokenView),
    extra: totals,
    secret: true,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/token/search',
    access: 'user',
    organization: TOKEN_READING,
    summary: { zh: '搜索令牌', en: 'Search your API keys' },
    query: pageFromZero.extend(facets.shape).extend({
      keyword: z.string().trim().max(100).default(''),
      /** A whole key, with or without `sk-`, or its last four characters. */
      token: z.string().trim().max(200).default(''),
      /** Searches names and keys. */
      either: z.string().trim().max(200).default(''),
    }),
    returns: z.array(tokenView),
    extra: totals,
    limit: 'search',
    secret: true,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/token/{id}',
    access: 'user',
    organization: TOKEN_READING,
    summary: { zh: '读取令牌', en: 'Read one API key' },
    params: idParams,
    returns: tokenView,
    secret: true,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/token/',
    access: 'user',
    organization: TOKEN_CHANGING,
    summary: { zh: '创建令牌', en: 'Create API keys' },
    body: tokenCreate,
    returns: z.array(tokenView),
    secret: true,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/token/',
    access: 'user',
    organization: TOKEN_CHANGING,
    summary: { zh: '修改令牌或其状态', en: 'Change an API key or its status' },
    query: z.object({ status_only: queryFlag }),
    body: tokenChange,
    returns: tokenView,
    secret: true,
  }),
  /** The same action on many tokens at once. */
  batch: endpoint({
    method: 'POST',
    path: '/api/token/batch',
    access: 'user',
    organization: TOKEN_CHANGING,
    summary: { zh: '批量启用、禁用、删除或恢复令牌', en: 'Enable, disable, delete or restore many API keys' },
    body: tokenBatch,
    returns: tokenBatchResult,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/token/{id}/',
    access: 'user',
    organization: TOKEN_CHANGING,
    summary: { zh: '删除令牌', en: 'Delete an API key' },
    params: idParams,
    returns: z.null(),
  }),
  /** Undoes a deletion, within the time that the console offers it. */
  restore: endpoint({
    method: 'POST',
    path: '/api/token/{id}/restore',
    access: 'user',
    organization: TOKEN_CHANGING,
    summary: { zh: '恢复刚删除的令牌', en: 'Restore an API key deleted a moment ago' },
    params: idParams,
    returns: tokenView,
    secret: true,
  }),
  ...tokenPages,
  ...leakedKeys,
};
