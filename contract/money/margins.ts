// Margins: what calls brought against what they cost, by day (of the site's time zone), channel, supplier, model, group or user. For operators.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

export const MARGIN_DIMENSIONS = ['channel', 'supplier', 'model', 'group', 'user', 'day'] as const;
export type MarginDimension = (typeof MARGIN_DIMENSIONS)[number];
export const MARGIN_MOST_DAYS = 400;
/** Rows of one answer; the rest is summed in the totals only. */
export const MARGIN_MOST_ROWS = 500;

const day = z.iso.date();
const id = z.coerce.number().int().min(0);
const name = z.string().max(255);

export const marginQuery = z.object({
  /** First and last day of the site; without them the last `days`, today included. */
  from: day.optional(),
  to: day.optional(),
  days: z.coerce.number().int().min(1).max(MARGIN_MOST_DAYS).optional(),
  by: z.enum(MARGIN_DIMENSIONS).default('channel'),
  channel: id.optional(),
  /** 0: channels without a supplier. */
  supplier: id.optional(),
  model: name.optional(),
  group: name.optional(),
  user: id.optional(),
});
export type MarginQuery = z.output<typeof marginQuery>;

/** Amounts in quota units. */
const figures = {
  calls: z.number(),
  /** Everything that was charged. */
  revenue: z.number(),
  /** Of calls whose cost is known, and of attempts that lost against another channel. */
  cost: z.number(),
  /** The channels' monthly fees, by day; none by model, group or user, and none where the filter names one. */
  fees: z.number(),
  /** Charges of calls whose cost is known, less their cost, less the fees. */
  margin: z.number(),
  unknown_calls: z.number(),
  unknown_revenue: z.number(),
};

/** What upstreams' caches of prompts saved: the same calls with every token of the prompt at the price of input, less what they were. */
export const cacheSavings = z.object({
  /** Of all calls, and those of them that were read from a cache. */
  prompt_tokens: z.number(),
  cache_read: z.number(),
  /** Calls that read or wrote a cache. */
  cached_calls: z.number(),
  /** Callers saved so much at selling prices; negative where writing a cache cost more than reading it saved. */
  saved_quota: z.number(),
  /** Calls with a cache that are not in `saved_quota`: they were logged before it was recorded. */
  unknown_quota_calls: z.number(),
  /** The operator saved so much at buy prices. */
  saved_cost: z.number(),
  /** Calls with a cache that are not in `saved_cost`: their buy price is not known. */
  unknown_cost_calls: z.number(),
});
export type CacheSavings = z.output<typeof cacheSavings>;

export const marginRow = z.object({
  /** An id, a name, or a day such as `2026-11-16`. */
  key: z.string(),
  /** Empty for a channel, supplier or user that is gone. */
  name: z.string(),
  ...figures,
  /** Null by group, user or day. */
  cache: cacheSavings.nullable(),
});
export type MarginRow = z.output<typeof marginRow>;

/** Calls of one answer; the sums contain all. */
export const HOLD_EXCESS_MOST_CALLS = 20;

const excessAmounts = {
  /** What calls cost beyond their holds and their users paid all the same. */
  paid: z.number(),
  /** What neither hold nor balance could pay: booked to `suspense`, the operator's loss. */
  unpaid: z.number(),
};

/** Charges that the holds of their calls did not cover, from the ledger; in quota units. */
export const holdExcess = z.object({
  calls: z.number(),
  ...excessAmounts,
  /** The newest first. */
  newest: z.array(
    z.object({
      request_id: z.string(),
      user_id: z.number(),
      /** Blank for a user that is gone. */
      username: z.string(),
      created_at: z.number(),
      ...excessAmounts,
    }),
  ),
});
export type HoldExcess = z.output<typeof holdExcess>;

export const marginReport = z.object({
  from: day,
  to: day,
  /** Whose days these are. */
  time_zone: z.string(),
  /** Most revenue first; days in order. */
  rows: z.array(marginRow),
  /** Of everything in the filter, also of rows beyond the most that are returned. */
  total: z.object(figures),
  /** How many rows there are. */
  row_count: z.number(),
  /** Null where the filter names a channel, a supplier, a model or a group: the ledger knows only the user. */
  hold_excess: holdExcess.nullable(),
  /** Attempts that lost against another channel at the same time (hedged calls); their cost is part of the cost above. */
  hedges: z.object({ calls: z.number(), cost: z.number(), unknown_calls: z.number() }),
  /** Shadow calls, which nobody is charged for; their cost is part of the cost above. */
  shadows: z.object({ calls: z.number(), cost: z.number(), unknown_calls: z.number() }),
  /** Null where the filter names a group or a user. */
  cache: cacheSavings.nullable(),
  /** Names of the ids in the filter; an id that is gone has none. */
  filter_names: z.object({
    channel: z.string().optional(),
    supplier: z.string().optional(),
    user: z.string().optional(),
  }),
});
export type MarginReport = z.output<typeof marginReport>;
export type MarginFigures = MarginReport['total'];

/** Null when no revenue has a known cost. */
export function marginShare({ margin, revenue, unknown_revenue }: MarginFigures): number | null {
  const known = revenue - unknown_revenue;
  return known <= 0 ? null : margin / known;
}

export const margins = {
  report: endpoint({
    method: 'GET',
    path: '/api/margins/',
    access: 'admin',
    summary: { zh: '毛利', en: 'Margins' },
    query: marginQuery,
    returns: marginReport,
  }),
};
