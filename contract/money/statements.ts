// A user's month: opening balance, every kind of movement, closing balance, and what was used by model and token. Months are
// those of UTC, as the kept sums of the ledger are.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

/** YYYY-MM. */
export const monthOf = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/);

export const STATEMENT_TIME_ZONE = 'UTC';
/** Movements that the page lists one by one; the sums have all of them. */
export const STATEMENT_ENTRIES = 500;
/** The same of the file. */
export const STATEMENT_FILE_ENTRIES = 10_000;

const used = z.object({
  quota: z.number(),
  count: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
});

const movement = z.object({
  /** `use`: charges of calls. Others: `topup`, `redeem`, `signup`, `admin`, … and those to come. */
  kind: z.string(),
  /** The other side of the movement: `revenue`, `topup`, `redeem`, `aff`, `plan`, … */
  account: z.string(),
  /** Negative: out of the balance. */
  amount: z.number(),
});

export const statementView = z.object({
  user: z.object({ id: z.number(), username: z.string(), display_name: z.string() }),
  /** YYYY-MM. */
  month: z.string(),
  time_zone: z.string(),
  /** Unix seconds; the end is exclusive. */
  start: z.number(),
  end: z.number(),
  made_at: z.number(),
  opening: z.number(),
  closing: z.number(),
  /** Their sum is the closing less the opening balance. */
  lines: z.array(movement.extend({ count: z.number() })),
  /** Every movement but charges of calls, newest first. */
  entries: z.array(movement.extend({ id: z.number(), created_at: z.number(), note: z.string() })),
  /** Also those that are not listed. */
  entries_total: z.number(),
  usage: z.object({
    total: used,
    models: z.array(used.extend({ name: z.string() })),
    /** Id 0: the playground. */
    tokens: z.array(used.extend({ id: z.number(), name: z.string() })),
    /** Of an organization: by whom and what each call was for when it was made. Empty for a person. */
    groups: z.array(
      z.object({
        by: z.enum(['member', 'service_account', 'project', 'tag']),
        /** The name of the tag, else blank. */
        tag: z.string(),
        /** Id 0 of tags. */
        rows: z.array(used.extend({ id: z.number(), name: z.string() })),
        /** Of calls without one: without the tag, or of no member. */
        none: used,
      }),
    ),
    /** Charges to the balance in the ledger less the figures above: corrections in another month, or paid otherwise. */
    difference: z.number(),
    /** Part of the charges that subscriptions paid; the balance paid the rest. */
    plan: z.number(),
  }),
  /** Single calls before this time are no longer in the log; no figure here needs them. */
  log_cleaned_before: z.number(),
});
export type StatementView = z.output<typeof statementView>;
export type StatementMovement = z.output<typeof movement>;

const query = z.object({ month: monthOf });
const file = z.custom<Response>();

export const statements = {
  own: endpoint({
    method: 'GET',
    path: '/api/user/statement',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '我的月度账单', en: 'Your statement of a month' },
    query,
    returns: statementView,
    limit: 'search',
  }),
  ownFile: endpoint({
    method: 'GET',
    path: '/api/user/statement/file',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '下载我的月度账单', en: 'Your statement of a month as CSV' },
    query,
    returns: file,
    limit: 'search',
  }),
  ofUser: endpoint({
    method: 'GET',
    path: '/api/user/{id}/statement',
    access: 'admin',
    summary: { zh: '用户的月度账单', en: "A user's statement of a month" },
    params: idParams,
    query,
    returns: statementView,
    limit: 'search',
  }),
  ofUserFile: endpoint({
    method: 'GET',
    path: '/api/user/{id}/statement/file',
    access: 'admin',
    summary: { zh: '下载用户的月度账单', en: "A user's statement of a month as CSV" },
    params: idParams,
    query,
    returns: file,
    limit: 'search',
  }),
};
