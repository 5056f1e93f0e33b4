// The page of one API key: limit and use, models, the last calls and events. For its owner, and for administrators who may see the
// owner; the key itself is never in it.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { pageEvents, pageUse } from './page-parts.ts';
import { windowQuery } from './thing-parts.ts';
import { TOKEN_READING, tokenHolderView } from './token-holders.ts';

/** Calls of one answer. */
export const TOKEN_PAGE_CALLS = 10;

const call = z.object({
  id: z.number(),
  created_at: z.number(),
  request_id: z.string(),
  /** A type of the log: a charged call, or one that failed. */
  type: z.number(),
  model_name: z.string(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  quota: z.number(),
  /** Seconds. */
  use_time: z.number(),
});

export const tokenPage = z.object({
  now: z.number(),
  token: z.object({
    id: z.number(),
    name: z.string(),
    group: z.string(),
    unlimited_quota: z.boolean(),
    remain_quota: z.number(),
    /** -1: never. */
    expired_time: z.number(),
    model_limits_enabled: z.boolean(),
    /** Those it is limited to. */
    models: z.array(z.string()),
    allow_ips: z.array(z.string()),
    deny_ips: z.array(z.string()),
    /** 0 in a limit or budget: none. */
    requests_per_minute: z.number(),
    tokens_per_minute: z.number(),
    concurrent_calls: z.number(),
    day_budget: z.number(),
    month_budget: z.number(),
    /** First and last letters. */
    key_hint: z.string(),
    status: z.number(),
    used_quota: z.number(),
    held_quota: z.number(),
    created_time: z.number(),
    accessed_time: z.number(),
    /** Of the day and month that are open of the budgets. */
    day_used: z.number(),
    month_used: z.number(),
  }),
  owner: z.object({ id: z.number(), username: z.string() }),
  /** Of an organization's key. */
  holder: tokenHolderView.optional(),
  /** The reader is the owner, who alone can change it, connect with it and see the key. */
  is_own: z.boolean(),
  use: pageUse,
  /** Newest first, of the last 30 days. */
  calls: z.array(call),
  events: pageEvents,
});
export type TokenPageView = z.output<typeof tokenPage>;
export type TokenPageCall = z.output<typeof call>;

const read = { params: idParams, query: windowQuery, returns: tokenPage };

export const tokenPages = {
  page: endpoint({
    method: 'GET',
    path: '/api/token/{id}/page',
    access: 'user',
    organization: TOKEN_READING,
    summary: {
      zh: '令牌页面：额度、用量、最近调用与事件',
      en: "An API key's page: limits, usage, last calls and events",
    },
    ...read,
  }),
  /** Also of users below the administrator. */
  managedPage: endpoint({
    method: 'GET',
    path: '/api/token/manage/{id}/page',
    access: 'admin',
    summary: {
      zh: '用户的令牌页面（不含密钥）',
      en: "The page of a user's API key, without the key itself",
    },
    ...read,
  }),
};
