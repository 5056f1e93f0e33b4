// The page of one user for administrators: facts, the balance, calls, keys, orders and events.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { pageEvents, pageUse } from './page-parts.ts';
import { windowQuery } from './thing-parts.ts';
import { inviteFlags } from './user-usage.ts';
import { managedUser } from './users.ts';

/** Keys and orders of one answer. */
export const USER_PAGE_ROWS = 8;

/** `came_in` − `used` = `left`, to the unit. */
export const userMoney = z.object({
  /** Every movement of the balance but charges of calls and their corrections; taken away counts as negative. */
  came_in: z.number(),
  /** Charges of calls that the balance paid, less what was given back. */
  used: z.number(),
  left: z.number(),
  /** Part of `left` that running calls hold. */
  held: z.number(),
  /** Charges that subscriptions paid instead. */
  used_of_plans: z.number(),
  /** What `came_in` is made of, by the kind of movement. */
  lines: z.array(z.object({ kind: z.string(), account: z.string(), amount: z.number(), count: z.number() })),
  /** What subscriptions have left. */
  left_of_plans: z.number(),
  /** Quota used in the last seven days. */
  week: z.number(),
  /** Days that balance and subscriptions last at that pace; null when nothing was used. */
  days_left: z.number().nullable(),
});
export type UserMoney = z.output<typeof userMoney>;

export const pageOrder = z.object({
  id: z.number(),
  trade_no: z.string(),
  amount_minor: z.number(),
  currency: z.string(),
  currency_digits: z.number(),
  quota: z.number(),
  plan_id: z.number(),
  plan_name: z.string(),
  status: z.enum(['pending', 'paid', 'expired', 'refunded']),
  created_at: z.number(),
});
export type PageOrder = z.output<typeof pageOrder>;

export const pageKey = z.object({
  id: z.number(),
  name: z.string(),
  status: z.number(),
  used_quota: z.number(),
  /** Null: no limit. */
  remain_quota: z.number().nullable(),
  accessed_time: z.number(),
  expired_time: z.number(),
});
export type PageKey = z.output<typeof pageKey>;

export const userPage = z.object({
  now: z.number(),
  user: managedUser,
  money: userMoney,
  use: pageUse,
  /** The last changes of the balance other than charges of calls. */
  entries: z.array(
    z.object({
      id: z.number(),
      created_at: z.number(),
      kind: z.string(),
      /** The other side of the movement. */
      account: z.string(),
      /** Negative: taken from the balance. */
      amount: z.number(),
      /** The name of a plan or a code, the number of an order, an administrator's reason; may be empty. */
      note: z.string(),
    }),
  ),
  keys: z.array(pageKey),
  key_count: z.number(),
  orders: z.array(pageOrder),
  order_count: z.number(),
  /** Active subscriptions. */
  plans: z.array(
    z.object({
      id: z.number(),
      plan_id: z.number(),
      plan_name: z.string(),
      left: z.number(),
      ends_at: z.number(),
    }),
  ),
  last_call_at: z.number(),
  invites: inviteFlags,
  events: pageEvents,
});
export type UserPageView = z.output<typeof userPage>;

export const userPages = {
  page: endpoint({
    method: 'GET',
    path: '/api/user/{id}/page',
    access: 'admin',
    summary: {
      zh: '用户页面：资料、余额、用量、令牌、订单与事件',
      en: "A user's page: details, balance, usage, keys, orders and events",
    },
    params: idParams,
    query: windowQuery,
    returns: userPage,
  }),
};
