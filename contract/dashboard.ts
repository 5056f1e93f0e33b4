// Usage by hour and model, the figures of the dashboard. Kept with every charge, so nothing is lost at a restart.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** The longest span a user may ask for: thirty days. */
export const SELF_SPAN_SECONDS = 2_592_000;
/** The longest span an administrator may ask for. */
export const SPAN_SECONDS = 366 * 86_400;
/** How many tokens or users the rankings hold. */
export const RANKED = 20;

const seconds = z.coerce.number().int().min(0).max(253_402_300_799);

const span = {
  start_timestamp: seconds,
  end_timestamp: seconds,
};

export const usageRow = z.object({
  model_name: z.string(),
  /** The hour, as its first second. */
  created_at: z.number(),
  /** Calls that were charged. */
  count: z.number(),
  quota: z.number(),
  token_used: z.number(),
  /** 0 and blank where the rows of several users are summed. */
  user_id: z.number(),
  username: z.string(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Calls that failed. */
  error_count: z.number(),
  /** Sums over the calls; divided by `count` they are averages. */
  use_time_ms: z.number(),
  first_token_ms: z.number(),
});
export type UsageRow = z.output<typeof usageRow>;

export const rankedRow = z.object({
  id: z.number(),
  name: z.string(),
  count: z.number(),
  quota: z.number(),
  token_used: z.number(),
  error_count: z.number(),
});
export type RankedRow = z.output<typeof rankedRow>;

export const dashboard = {
  all: endpoint({
    method: 'GET',
    path: '/api/data/',
    access: 'admin',
    summary: { zh: '全站用量（按小时和模型）', en: 'Usage of everybody by hour and model' },
    query: z.object({ ...span, username: z.string().trim().max(64).default('') }),
    returns: z.array(usageRow),
  }),
  self: endpoint({
    method: 'GET',
    path: '/api/data/self',
    access: 'user',
    summary: { zh: '我的用量（按小时和模型）', en: 'Your usage by hour and model' },
    query: z.object(span),
    returns: z.array(usageRow),
  }),
  tokens: endpoint({
    method: 'GET',
    path: '/api/data/self/tokens',
    access: 'user',
    summary: { zh: '消费最多的令牌', en: 'Your tokens that spent most' },
    query: z.object(span),
    returns: z.array(rankedRow),
  }),
  users: endpoint({
    method: 'GET',
    path: '/api/data/users',
    access: 'admin',
    summary: { zh: '消费最多的用户', en: 'Users who spent most' },
    query: z.object(span),
    returns: z.array(rankedRow),
  }),
};
