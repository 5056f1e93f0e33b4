// Usage logs: one row per call or event, filtered, summed, charted and exported. Users read their own, admins read all.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { EXPORT_FORMATS, itemList, pageFromOne } from '#contract/lists.ts';
import { USAGE_READING } from './organization-rights.ts';
import { tokenHolderView } from './token-holders.ts';
import { adminLogFilter, logFilter, logRange, logSeconds } from './log-filter.ts';

/** 0 means all in a filter. */
export const LOG_TYPE = {
  all: 0,
  topUp: 1,
  consumption: 2,
  manage: 3,
  system: 4,
  error: 5,
  refund: 6,
  login: 7,
  refused: 8,
} as const;

/** Limits in seconds: below the first a duration is green, below the second orange, else red. */
export const DURATION_SECONDS = { green: 101, orange: 300 } as const;
export const FIRST_TOKEN_SECONDS = { green: 3, orange: 10 } as const;

/** The page shows this many whole days before today, up to an hour ahead. */
export const LOG_RANGE = { days: 3, aheadSeconds: 3600 } as const;
/** Rows of a search, and of the public reading by key. */
export const LOG_SEARCH_ROWS = 100;

export const logView = z.object({
  id: z.number(),
  created_at: z.number(),
  request_id: z.string(),
  type: z.number(),
  user_id: z.number(),
  username: z.string(),
  token_id: z.number(),
  token_name: z.string(),
  model_name: z.string(),
  /** The model name that was sent to the upstream; empty for users. */
  upstream_model: z.string(),
  channel: z.number(),
  /** Empty for users. */
  channel_name: z.string(),
  group: z.string(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  quota: z.number(),
  /** Seconds. */
  use_time: z.number(),
  is_stream: z.boolean(),
  /** The charge is based on a local count, because the upstream reported none. */
  estimated: z.boolean(),
  ip: z.string(),
  /** What happened, as a sentence in the caller's language. */
  content: z.string(),
  /** What `content` says, for programs: `status 429` of a failed call, `quotaAdded`; empty for text without a code. */
  code: z.string(),
  /** JSON text; without `admin_info` for users. */
  other: z.string(),
  /** What the call cost the operator, in quota units; null when that is unknown, absent for users. */
  cost: z.number().nullable().optional(),
  /** Of a call that a subscription paid for: its plan, in the caller's language. */
  plan_name: z.string().optional(),
  /** Of a call of an organization, with the names of today. */
  ...tokenHolderView.partial().shape,
  /** Of an organization's call: the tags that were kept, as JSON; blank: none. */
  tags: z.string().optional(),
});
export type LogView = z.output<typeof logView>;

const cursor = {
  /** Rows older than this one: pages do not shift while new rows arrive. */
  before_id: z.coerce.number().int().positive().optional(),
  /** Rows newer than this one: following the log live. */
  after_id: z.coerce.number().int().min(0).optional(),
};

export const logPage = itemList(logView).extend({
  /** False where the total is an upper bound, because counting would take too long. */
  total_exact: z.boolean(),
});

export const logStat = z.object({
  /** Charges in the filter. */
  quota: z.number(),
  /** Consumption of the last 60 seconds in the filter; its time range is ignored. */
  rpm: z.number(),
  tpm: z.number(),
  count: z.number(),
  error_count: z.number(),
  /** Calls that were refused before any attempt; in the types `all` and `refused`. */
  refused_count: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** False where the sums cover only the newest part of the filter. */
  exact: z.boolean(),
});
export type LogStat = z.output<typeof logStat>;

export const logHistogram = z.object({
  start: z.number(),
  bucket_seconds: z.number(),
  buckets: z.array(z.object({ requests: z.number(), errors: z.number() })),
  /** The main cause of failures in the worst bucket; channel and status for admins only. */
  peak: z
    .object({
      index: z.number(),
      errors: z.number(),
      status: z.number().nullable(),
      status_errors: z.number(),
      channel: z.number().nullable(),
    })
    .nullable(),
});
export type LogHistogram = z.output<typeof logHistogram>;

/** Choices of the filters: values that occur in the range, most used first. */
export const logFacets = z.object({
  models: z.array(z.string()),
  tokens: z.array(z.string()),
  groups: z.array(z.string()),
  channels: z.array(z.object({ id: z.number(), name: z.string() })),
  /** Of an organization's calls, as the filter takes them: `team=search`. */
  tags: z.array(z.string()),
});
export type LogFacets = z.output<typeof logFacets>;

const exportFormat = z.object({ format: z.enum(EXPORT_FORMATS).default('csv') });
/** The answer is a streamed file without an envelope. */
const file = z.custom<Response>();

const keyword = z.object({ keyword: z.string().trim().max(255).default('') });
const cleanupTime = z.object({ target_timestamp: logSeconds.optional() });
/** Finished drawings in the cleaned range. */
const cleanedTasks = z.object({ tasks: z.number() });

export const logs = {
  list: endpoint({
    method: 'GET',
    path: '/api/log/',
    access: 'admin',
    summary: { zh: '所有用户的日志', en: 'Logs of all users' },
    query: pageFromOne.extend(adminLogFilter.shape).extend(cursor),
    returns: logPage,
  }),
  listSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '自己的日志', en: 'Your own logs' },
    query: pageFromOne.extend(logFilter.shape).extend(cursor),
    returns: logPage,
  }),
  stat: endpoint({
    method: 'GET',
    path: '/api/log/stat',
    access: 'admin',
    summary: { zh: '筛选范围内的消费、RPM 与 TPM', en: 'Spend, RPM and TPM of a filter' },
    query: adminLogFilter,
    returns: logStat,
  }),
  statSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/stat',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '自己的消费、RPM 与 TPM', en: 'Your own spend, RPM and TPM' },
    query: logFilter,
    returns: logStat,
  }),
  histogram: endpoint({
    method: 'GET',
    path: '/api/log/histogram',
    access: 'admin',
    summary: { zh: '按时间统计请求与失败', en: 'Requests and failures over time' },
    query: adminLogFilter,
    returns: logHistogram,
  }),
  histogramSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/histogram',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '按时间统计自己的请求与失败', en: 'Your own requests and failures over time' },
    query: logFilter,
    returns: logHistogram,
  }),
  facets: endpoint({
    method: 'GET',
    path: '/api/log/facets',
    access: 'admin',
    summary: { zh: '可用的筛选值', en: 'Values the filters offer' },
    query: logRange,
    returns: logFacets,
  }),
  facetsSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/facets',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '自己可用的筛选值', en: 'Values your own filters offer' },
    query: logRange,
    returns: logFacets,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/log/search',
    access: 'admin',
    summary: { zh: '搜索日志', en: 'Search the logs' },
    query: keyword,
    returns: z.array(logView),
    limit: 'search',
  }),
  searchSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/search',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '搜索自己的日志', en: 'Search your own logs' },
    query: keyword,
    returns: z.array(logView),
    limit: 'search',
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/log/export',
    access: 'admin',
    summary: { zh: '导出筛选范围内的全部日志', en: 'Export every log row that matches a filter' },
    query: adminLogFilter.extend(exportFormat.shape),
    returns: file,
    limit: 'search',
  }),
  exportSelf: endpoint({
    method: 'GET',
    path: '/api/log/self/export',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '导出自己的日志', en: 'Export your own log rows' },
    query: logFilter.extend(exportFormat.shape),
    returns: file,
    limit: 'search',
  }),
  /** For status pages of token holders: the key authorizes the call, so pages of any site may call it. */
  byKey: endpoint({
    method: 'GET',
    path: '/api/log/token',
    access: 'public',
    summary: { zh: '凭令牌密钥读取其日志', en: 'Logs of an API key, by the key itself' },
    query: z.object({ key: z.string().trim().min(1).max(200) }),
    returns: z.array(logView),
    limit: 'guess',
    anyOrigin: true,
  }),
  cleanupCount: endpoint({
    method: 'GET',
    path: '/api/log/cleanup',
    access: 'root',
    summary: {
      zh: '清理会删除多少日志与已结束的绘图任务',
      en: 'How many log rows and finished drawings a cleanup would delete',
    },
    query: cleanupTime,
    returns: z.number(),
    extra: cleanedTasks,
  }),
  cleanup: endpoint({
    method: 'DELETE',
    path: '/api/log/',
    access: 'root',
    summary: {
      zh: '删除某一时间之前的日志与已结束的绘图任务',
      en: 'Delete log rows and finished drawings from before a time',
    },
    query: cleanupTime,
    returns: z.number(),
    extra: cleanedTasks,
    stepUp: true,
  }),
};
