// The facts of the overview: the operator's day in money, refusals, channels and the month; the customer's balance, keys and
// what changed. Amounts in quota units unless they name a currency; times in unix seconds, days as YYYY-MM-DD.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

export const OVERVIEW_DAYS = ['today', 'yesterday', 'month'] as const;
export type OverviewDay = (typeof OVERVIEW_DAYS)[number];
/** Channels of one answer; `channel_count` has how many there are. */
export const OVERVIEW_CHANNELS = 20;
/** Hours of a strip; the last one is not over. */
export const POSTS = 24;
export const SPENT_DAYS = 14;
export const OVERVIEW_KEYS = 6;
/** The overview lists changes of the last so many days. */
export const CHANGE_DAYS = 14;

/** Money as it was paid, in the smallest unit of its currency. */
const paid = z.object({
  currency: z.string(),
  amount_minor: z.number(),
  /** Decimals of the currency. */
  digits: z.number(),
  orders: z.number(),
});
export type PaidSum = z.output<typeof paid>;

/** `used` = `cost` + `margin` + `unknown`, to the unit. */
const money = {
  /** What was charged to customers. */
  used: z.number(),
  /** What calls of known cost cost, with the channels' monthly fees. */
  cost: z.number(),
  /** Of `cost`: the fees. */
  fees: z.number(),
  /** The certain margin; may be negative. */
  margin: z.number(),
  /** Charged for calls whose cost is not known. */
  unknown: z.number(),
};
export const overviewMoney = z.object(money);
export type OverviewMoney = z.output<typeof overviewMoney>;

const post = z.object({ calls: z.number(), failures: z.number() });
export type Post = z.output<typeof post>;

const refusal = z.object({
  /** The name of the error. */
  code: z.string(),
  count: z.number(),
  users: z.number(),
  keys: z.number(),
  /** Most refused first. */
  models: z.array(z.string()),
});
export type Refusal = z.output<typeof refusal>;

const overviewChannel = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  status: z.number(),
  /** When it switched itself off; 0: it did not. */
  off_since: z.number(),
  /** Attempts by the hour, oldest first; `calls` succeeded. */
  posts: z.array(post),
  calls: z.number(),
  failures: z.number(),
  /** Milliseconds to the first token, the middle of the streams; 0 without streams. */
  first_token_p50: z.number(),
});
export type OverviewChannel = z.output<typeof overviewChannel>;

export const operatorOverview = z.object({
  now: z.number(),
  /** The site's time zone. */
  time_zone: z.string(),
  /** The zone of the days of all money here. */
  money_zone: z.string(),
  /** The chosen days. */
  from: z.string(),
  to: z.string(),
  start: z.number(),
  end: z.number(),
  money: overviewMoney.extend({
    calls: z.number(),
    unknown_calls: z.number(),
    came_in: z.array(paid),
    /** Paid back in these days, whenever it was paid. */
    refunded: z.array(paid),
    /** The version of the prices in force; 0: none. */
    price_version: z.number(),
  }),
  /** The channels behind the certain margin, largest margin first; their sums are those of `money`. `used`: of calls of known cost. */
  margin_channels: z.array(
    z.object({ id: z.number(), name: z.string(), used: z.number(), cost: z.number(), margin: z.number() }),
  ),
  /** Channels with use of unknown cost, most first. */
  unknown_channels: z.array(z.object({ id: z.number(), name: z.string(), used: z.number() })),
  /** Of the last 24 hours. */
  refused: z.object({
    start: z.number(),
    /** Calls with an attempt, and refused ones. */
    calls: z.number(),
    total: z.number(),
    ours: z.array(refusal),
    callers: z.array(refusal),
  }),
  /** Those that are off first, then by calls. */
  channels: z.array(overviewChannel),
  channel_count: z.number(),
  /** First second of the first post. */
  posts_start: z.number(),
  month: z.object({
    from: z.string(),
    days: z.array(z.object({ day: z.string(), came_in: z.array(paid), ...money })),
    total: z.object({ came_in: z.array(paid), ...money }),
    /** The largest payment; null: none. */
    largest: z
      .object({
        order_id: z.number(),
        currency: z.string(),
        amount_minor: z.number(),
        digits: z.number(),
        user_id: z.number(),
        username: z.string(),
      })
      .nullable(),
  }),
  /** Balances of users who are no operators, and how long they last at the pace of the last seven whole days; null without use. */
  owed: z.object({ quota: z.number(), users: z.number(), per_day: z.number(), days: z.number().nullable() }),
});
export type OperatorOverview = z.output<typeof operatorOverview>;

const spent = z.object({ day: z.string(), quota: z.number(), count: z.number(), error_count: z.number() });

const ownKey = z.object({
  id: z.number(),
  name: z.string(),
  group: z.string(),
  posts: z.array(post),
  last_used_at: z.number(),
  today: z.number(),
  /** Of the last seven days, today included. */
  week: z.number(),
  /** Null: no limit. */
  limit: z.object({ used: z.number(), total: z.number() }).nullable(),
  /** 0: never. */
  expires_at: z.number(),
});

/** Only of models that the caller used in the last 30 days, except announcements and new models. */
const change = z.discriminatedUnion('kind', [
  /** No channel offers it to the caller's groups; `at` 0: not known since when. */
  z.object({ kind: z.literal('model_off'), at: z.number(), model: z.string(), calls: z.number() }),
  z.object({
    kind: z.literal('price_moved'),
    at: z.number(),
    model: z.string(),
    group: z.string(),
    /** Dollars per million tokens, or per call. */
    unit: z.enum(['tokens', 'call', 'second']),
    before: z.object({ input: z.number(), output: z.number() }),
    after: z.object({ input: z.number(), output: z.number() }),
  }),
  z.object({ kind: z.literal('model_new'), at: z.number(), model: z.string(), group: z.string() }),
  z.object({
    kind: z.literal('announcement'),
    at: z.number(),
    id: z.number(),
    title: z.string(),
    title_en: z.string(),
    level: z.string(),
  }),
]);
export type OverviewChange = z.output<typeof change>;

export const customerOverview = z.object({
  now: z.number(),
  time_zone: z.string(),
  balance: z.object({
    quota: z.number(),
    /** What running calls hold of it. */
    held: z.number(),
    /** Left in subscriptions. */
    plans: z.number(),
  }),
  /** Oldest first, today last. */
  days: z.array(spent),
  pace: z.object({
    /** Of the last seven days up to now. */
    week: z.number(),
    per_day: z.number(),
    /** Balance and subscriptions at this pace; null without use. */
    days_left: z.number().nullable(),
    /** The day on which it is used up; null without use. */
    ends_on: z.string().nullable(),
  }),
  /** Used in the last 24 hours or last of all; the most recent first. */
  keys: z.array(ownKey),
  key_count: z.number(),
  posts_start: z.number(),
  /** The newest first. */
  changes: z.array(change),
});
export type CustomerOverview = z.output<typeof customerOverview>;

export const overview = {
  operator: endpoint({
    method: 'GET',
    path: '/api/overview',
    access: 'admin',
    summary: { zh: '运营概览', en: "The operator's overview" },
    query: z.object({ day: z.enum(OVERVIEW_DAYS).default('yesterday') }),
    returns: operatorOverview,
  }),
  self: endpoint({
    method: 'GET',
    path: '/api/overview/self',
    access: 'user',
    summary: { zh: '我的概览', en: 'Your balance, keys and what changed' },
    returns: customerOverview,
  }),
};
