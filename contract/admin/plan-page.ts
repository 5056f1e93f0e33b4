// The page of one plan for administrators: what it is worth, what it sold and brought, what was used of it.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { pageEvents } from './page-parts.ts';

/** Subscriptions of one answer, the newest. */
export const PLAN_PAGE_ROWS = 10;

const amounts = z.array(
  z.object({ currency: z.string(), currency_digits: z.number(), amount_minor: z.number() }),
);

export const planPage = z.object({
  now: z.number(),
  plan: z.object({
    id: z.number(),
    name: z.string(),
    name_en: z.string(),
    description: z.string(),
    description_en: z.string(),
    price_minor: z.number(),
    currency: z.string(),
    currency_digits: z.number(),
    price_quota: z.number(),
    duration_unit: z.enum(['day', 'month']),
    duration_count: z.number(),
    quota: z.number(),
    reset: z.enum(['never', 'daily', 'weekly', 'monthly']),
    models: z.array(z.string()),
    group: z.string(),
    limit_per_user: z.number(),
    on_sale: z.boolean(),
    created_at: z.number(),
    /** Null: it can still be sold. */
    deleted_at: z.number().nullable(),
  }),
  /** What a buyer can use of it in all, if every period is used up. */
  worth: z.number(),
  sold: z.object({
    /** By what paid for it; refunded ones too. */
    orders: z.number(),
    balance: z.number(),
    grants: z.number(),
    refunded: z.number(),
    buyers: z.number(),
    active: z.number(),
    /** Paid online, less refunds. */
    revenue: amounts,
    /** Paid from balances. */
    revenue_quota: z.number(),
  }),
  /** Of all subscriptions so far: `granted` = `used` + `left` + `lapsed`, to the unit. */
  use: z.object({
    granted: z.number(),
    /** Charges that it paid. */
    used: z.number(),
    /** In subscriptions that run. */
    left: z.number(),
    /** Taken back at the end of a period or of the subscription. */
    lapsed: z.number(),
  }),
  subscriptions: z.array(
    z.object({
      id: z.number(),
      user_id: z.number(),
      username: z.string(),
      source: z.enum(['balance', 'order', 'grant']),
      order_id: z.number(),
      created_at: z.number(),
      ends_at: z.number(),
      state: z.enum(['scheduled', 'active', 'ended']),
      left: z.number(),
      period_quota: z.number(),
    }),
  ),
  subscription_count: z.number(),
  events: pageEvents,
});
export type PlanPageView = z.output<typeof planPage>;

export const planPages = {
  page: endpoint({
    method: 'GET',
    path: '/api/plan/{id}/page',
    access: 'admin',
    summary: { zh: '套餐页面：价值、销售与使用', en: "A plan's page: value, sales and use" },
    params: idParams,
    returns: planPage,
  }),
};
