// Figures of the dashboard: usage by hour and model, written in the transaction of each charge.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { USAGE_READING } from './organization-rights.ts';

/** The longest span for users: the longest month, with an hour more where the clocks change. */
export const SELF_SPAN_SECONDS = 31 * 86_400 + 3600;
/** The longest span for administrators. */
export const SPAN_SECONDS = 366 * 86_400;
/** Number of tokens or users in a ranking. */
export const RANKED = 20;

const seconds = z.coerce.number().int().min(0).max(253_402_300_799);

const span = {
  start_timestamp: seconds,
  end_timestamp: seconds,
};

export const usageRow = z.object({
  model_name: z.string(),
  /** First second of the hour. */
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

export const rankedHolders = z.object({
  members: z.array(rankedRow),
  service_accounts: z.array(rankedRow),
  projects: z.array(rankedRow),
});
export type RankedHolders = z.output<typeof rankedHolders>;

export const USAGE_GROUPS = ['member', 'service_account', 'project', 'token', 'model', 'tag'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
export const GROUPED_MOST = 1000;

export const groupedUsage = z.object({
  /** Id 0 of models and tags. */
  rows: z.array(rankedRow),
  /** Beyond the limit. */
  others: rankedRow,
  /** Of calls without one, such as calls without the tag. */
  none: rankedRow,
  total: rankedRow,
});
export type GroupedUsage = z.output<typeof groupedUsage>;

/** Most buckets of a latency chart. */
export const LATENCY_PIECES = 48;
/** Number of newest failures that are read to find their causes. */
export const FAILURES_READ = 1000;

/** Latencies of one bucket in milliseconds, from a sample of its calls. */
export const latencyPiece = z.object({
  start: z.number(),
  /** Number of calls in the sample; 0: none. */
  sample: z.number(),
  p50: z.number(),
  p95: z.number(),
  /** Time to the first token; 0 where no call streamed. */
  first_p50: z.number(),
  first_p95: z.number(),
});
export type LatencyPiece = z.output<typeof latencyPiece>;

const latency = z.object({ bucket_seconds: z.number(), pieces: z.array(latencyPiece) });

/** Causes of failed calls from the log, most frequent first. */
export const failureView = z.object({
  /** All failures of the span, refused calls included. */
  total: z.number(),
  /** Calls that were refused before any attempt; without those of unknown callers. */
  refused: z.number(),
  /** Number of failures that were read. */
  read: z.number(),
  contents: z.array(z.object({ content: z.string(), count: z.number() })),
});
export type FailureView = z.output<typeof failureView>;

export const channelUsage = z.object({
  id: z.number(),
  name: z.string(),
  /** 0: the channel was deleted. */
  status: z.number(),
  count: z.number(),
  error_count: z.number(),
  quota: z.number(),
  use_time_ms: z.number(),
  first_token_ms: z.number(),
});
export type ChannelUsage = z.output<typeof channelUsage>;

const step = z.coerce
  .number()
  .int()
  .min(60)
  .max(31 * 86_400)
  .default(3600);
const username = z.string().trim().max(64).default('');

export const dashboard = {
  all: endpoint({
    method: 'GET',
    path: '/api/data/',
    access: 'admin',
    summary: { zh: '全站用量（按小时和模型）', en: "All users' usage by hour and model" },
    query: z.object({ ...span, username: z.string().trim().max(64).default('') }),
    returns: z.array(usageRow),
  }),
  self: endpoint({
    method: 'GET',
    path: '/api/data/self',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '我的用量（按小时和模型）', en: 'Your usage by hour and model' },
    query: z.object(span),
    returns: z.array(usageRow),
  }),
  tokens: endpoint({
    method: 'GET',
    path: '/api/data/self/tokens',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '消费最多的令牌', en: 'Your top API keys by spend' },
    query: z.object(span),
    returns: z.array(rankedRow),
  }),
  /** By whom and what each call was for when it was made; without the right to see all, the caller's own calls. */
  holders: endpoint({
    method: 'GET',
    path: '/api/data/self/holders',
    access: 'user',
    organization: USAGE_READING,
    organizationOnly: true,
    summary: {
      zh: '组织中消费最多的成员、服务账号和项目',
      en: 'Top members, service accounts and projects by spend',
    },
    query: z.object(span),
    returns: rankedHolders,
  }),
  /** Members, projects and tags as they were when each call was made. What is not listed is answered too: all adds up to the total. */
  groups: endpoint({
    method: 'GET',
    path: '/api/data/self/groups',
    access: 'user',
    organization: USAGE_READING,
    organizationOnly: true,
    summary: {
      zh: '组织的用量（按成员、项目、令牌、模型或标签）',
      en: 'Usage of the organization by member, project, key, model or tag',
    },
    query: z.object({
      ...span,
      by: z.enum(USAGE_GROUPS),
      /** The name of the tag. */
      tag: z.string().trim().toLowerCase().max(32).default(''),
      limit: z.coerce.number().int().min(1).max(GROUPED_MOST).default(RANKED),
    }),
    returns: groupedUsage,
  }),
  users: endpoint({
    method: 'GET',
    path: '/api/data/users',
    access: 'admin',
    summary: { zh: '消费最多的用户', en: 'Top users by spend' },
    query: z.object(span),
    returns: z.array(rankedRow),
  }),
  latency: endpoint({
    method: 'GET',
    path: '/api/data/latency',
    access: 'admin',
    summary: { zh: '全站耗时分位数', en: 'Percentiles of the durations of all calls' },
    query: z.object({ ...span, step, username }),
    returns: latency,
  }),
  latencySelf: endpoint({
    method: 'GET',
    path: '/api/data/self/latency',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '我的耗时分位数', en: 'Percentiles of the durations of your calls' },
    query: z.object({ ...span, step }),
    returns: latency,
  }),
  failures: endpoint({
    method: 'GET',
    path: '/api/data/failures',
    access: 'admin',
    summary: { zh: '全站失败原因', en: 'Why calls of all users failed' },
    query: z.object({ ...span, username }),
    returns: failureView,
  }),
  failuresSelf: endpoint({
    method: 'GET',
    path: '/api/data/self/failures',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '我的失败原因', en: 'Why your calls failed' },
    query: z.object(span),
    returns: failureView,
  }),
  channels: endpoint({
    method: 'GET',
    path: '/api/data/channels',
    access: 'admin',
    summary: { zh: '各渠道用量', en: 'Usage of each channel' },
    query: z.object(span),
    returns: z.array(channelUsage),
  }),
};
