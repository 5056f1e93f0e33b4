// Re-rating: a price version applied to past calls. A dry run counts; applying it books notes for each user and day.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { EXPORT_FORMATS, idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { HOUR_SECONDS } from '#contract/time.ts';

export const RERATE_STATES = ['rating', 'ready', 'applying', 'applied', 'undone', 'discarded'] as const;
export type RerateState = (typeof RERATE_STATES)[number];

/**
 * Why a call keeps its charge. `missing`: it has no log row any more, or never had one. `no_usage`: the log row does not say
 * what was used. `task`: the charge belongs to a task or a batch. `imported`: another gateway charged it. `no_price`: the
 * version has no price for its model and group.
 */
export const LEFT_OUT_REASONS = ['missing', 'no_usage', 'task', 'imported', 'no_price'] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export const RERATE_MOST_DAYS = 366;
const LIST_ROWS = 100;

const hour = z.number().int().min(0).max(253_402_300_799).multipleOf(HOUR_SECONDS);
const names = z.array(z.string().trim().min(1).max(255)).max(1000).default([]);

export const rerateCreate = z.object({
  version_id: z.number().int().positive(),
  /** Unix seconds of whole hours; the range ends before `to_at`, which is not in the future. */
  from_at: hour,
  to_at: hour,
  /** Empty: all. */
  models: names,
  groups: names,
  /** Only calls that were charged by this version; 0: all. */
  charged_version: z.number().int().min(0).default(0),
  /** The users read it in their notice. */
  reason: z.string().trim().min(1).max(500),
});
export type RerateCreate = z.input<typeof rerateCreate>;

const counted = z.object({ calls: z.number(), quota: z.number() });

/** What was booked so far; negative: given back. */
const booked = z.object({ wallet: z.number(), plan: z.number(), suspense: z.number() });

export const rerateRun = z.object({
  id: z.number(),
  created_at: z.number(),
  created_by: z.number(),
  created_by_name: z.string(),
  kind: z.enum(['rerate', 'undo']),
  undoes_id: z.number(),
  /** The run that undoes this one; 0: none. */
  undone_by_run: z.number(),
  version_id: z.number(),
  charged_version: z.number(),
  from_at: z.number(),
  to_at: z.number(),
  models: z.array(z.string()),
  groups: z.array(z.string()),
  reason: z.string(),
  state: z.enum(RERATE_STATES),
  /** While it is rated: the first second that is not. */
  position: z.number(),
  examined: z.number(),
  calls: z.number(),
  users: z.number(),
  /** Sum of what calls cost less, and of what they cost more. */
  credit: z.number(),
  debit: z.number(),
  left_out: z.partialRecord(z.enum(LEFT_OUT_REASONS), counted),
  rated_at: z.number(),
  applied_at: z.number(),
  applied_by: z.number(),
  undone_at: z.number(),
});
export type RerateRun = z.output<typeof rerateRun>;

const sum = z.object({ calls: z.number(), before: z.number(), after: z.number() });

export const rerateDetail = rerateRun.extend({
  /** Of the range, as `LogRetentionDays` or a cleaning has left it: log rows before this time are removed. */
  cleaned_before: z.number(),
  /** The largest changes, at most a hundred of each. */
  by_user: z.array(sum.extend({ user_id: z.number(), username: z.string() })),
  by_model: z.array(sum.extend({ model_name: z.string() })),
  by_day: z.array(sum.extend({ day: z.number() })),
  /** Of users and days. */
  notes: z.object({
    total: z.number(),
    done: z.number(),
    /** Left out, because their calls are not those of the dry run any more. */
    changed: z.number(),
  }),
  booked,
});
export type RerateDetail = z.output<typeof rerateDetail>;

export const RERATE_LIST_ROWS = LIST_ROWS;

const params = idParams;

export const rerating = {
  list: endpoint({
    method: 'GET',
    path: '/api/rerating/',
    access: 'root',
    summary: { zh: '重新计价的列表', en: 'List re-rating runs' },
    query: pageFromOne,
    returns: itemList(rerateRun),
  }),
  versions: endpoint({
    method: 'GET',
    path: '/api/rerating/versions',
    access: 'root',
    summary: { zh: '可选的价格版本', en: 'Price versions to choose from' },
    /** The newest, newest first. */
    returns: z.array(
      z.object({ id: z.number(), effective_at: z.number(), source: z.string(), reason: z.string() }),
    ),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/rerating/',
    access: 'root',
    summary: { zh: '试算重新计价', en: 'Begin a dry run of a re-rating' },
    body: rerateCreate,
    returns: rerateRun,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/rerating/{id}',
    access: 'root',
    summary: { zh: '读取一次重新计价', en: 'Read a re-rating run' },
    params,
    returns: rerateDetail,
  }),
  apply: endpoint({
    method: 'POST',
    path: '/api/rerating/{id}/apply',
    access: 'root',
    summary: { zh: '应用重新计价', en: 'Book a re-rating' },
    params,
    /** The figures of the dry run that the operator has seen. */
    body: z.object({ calls: z.number().int(), credit: z.number().int(), debit: z.number().int() }),
    returns: rerateRun,
    stepUp: true,
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/rerating/{id}/undo',
    access: 'root',
    summary: { zh: '撤销重新计价', en: 'Undo a re-rating' },
    params,
    body: z.object({ reason: z.string().trim().min(1).max(500) }),
    /** The run that books the opposite notes. */
    returns: rerateRun,
    stepUp: true,
  }),
  discard: endpoint({
    method: 'DELETE',
    path: '/api/rerating/{id}',
    access: 'root',
    summary: { zh: '放弃试算', en: 'Discard a dry run' },
    params,
    returns: z.null(),
  }),
  export: endpoint({
    method: 'GET',
    path: '/api/rerating/{id}/export',
    access: 'root',
    summary: { zh: '导出试算结果', en: 'Export the figures of a run by user, day and model' },
    params,
    query: z.object({ format: z.enum(EXPORT_FORMATS).default('csv') }),
    /** A file, without an envelope. */
    returns: z.custom<Response>(),
    limit: 'search',
  }),
};
