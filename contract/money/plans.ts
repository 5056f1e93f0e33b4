// Plans: quota for a time, with a reset by day, week or month. Users buy them from the balance or by online payment;
// administrators define them, grant them and see what they bring.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { planPages } from '#contract/admin/plan-page.ts';
import { PAYMENT_METHODS } from './orders.ts';
import { changedPlanFields, planFields, type PlanFields } from './plan-fields.ts';
import { PLAN_RESETS, PLAN_UNITS } from './plan-schedule.ts';

export { planFields, type PlanFields };

const money = z.number().int().min(0);

const planBase = z.object({
  id: z.number(),
  name: z.string(),
  name_en: z.string(),
  description: z.string(),
  description_en: z.string(),
  price_minor: money,
  currency: z.string(),
  currency_digits: z.number(),
  price_quota: z.number(),
  duration_unit: z.enum(PLAN_UNITS),
  duration_count: z.number(),
  quota: z.number(),
  reset: z.enum(PLAN_RESETS),
  models: z.array(z.string()),
  group: z.string(),
  limit_per_user: z.number(),
});

/** A plan as a buyer sees it. */
export const planOffer = planBase.extend({
  /** Of the group in which the plan pays. */
  group_ratio: z.number(),
  /** Ways to pay in the plan's currency. */
  methods: z.array(z.enum(PAYMENT_METHODS)),
  /** How often the caller bought it. */
  bought: z.number(),
});
export type PlanOffer = z.output<typeof planOffer>;

const revenue = z.array(z.object({ currency: z.string(), currency_digits: z.number(), amount_minor: money }));
export type PlanRevenue = z.output<typeof revenue>;

export const managedPlan = planBase.extend({
  on_sale: z.boolean(),
  sort_order: z.number(),
  created_at: z.number(),
  active: z.number(),
  expiring: z.number(),
  sold: z.number(),
  /** Paid online, less refunds. */
  revenue,
  /** Paid from balances. */
  revenue_quota: z.number(),
});
export type ManagedPlan = z.output<typeof managedPlan>;

export const SUBSCRIPTION_STATES = ['scheduled', 'active', 'ended'] as const;
export type SubscriptionStateName = (typeof SUBSCRIPTION_STATES)[number];

export const subscriptionView = z.object({
  id: z.number(),
  plan_id: z.number(),
  plan_name: z.string(),
  /** Empty while the plan has no English name, or another name than when it was bought. */
  plan_name_en: z.string(),
  state: z.enum(SUBSCRIPTION_STATES),
  created_at: z.number(),
  started_at: z.number(),
  ends_at: z.number(),
  /** When the period ends; the last one ends with the subscription. */
  period_ends_at: z.number(),
  period_quota: z.number(),
  /** Of this period: neither used nor held by running calls. */
  left: z.number(),
  /** Another period follows this one. */
  resets: z.boolean(),
  models: z.array(z.string()),
  group: z.string(),
  source: z.enum(['balance', 'order', 'grant']),
  price_quota: z.number(),
  price_minor: money,
  currency: z.string(),
  currency_digits: z.number(),
  /** 0 = renewed by hand; else what the balance pays at most for another term. */
  renew_price: z.number(),
  /** What a renewal costs now; 0 = not sold for balance. */
  renewal_quota: z.number(),
  /** It can be renewed: active, not renewed yet, and the plan is on sale. */
  renewable: z.boolean(),
  ended_at: z.number(),
  /** Empty: its time was over. */
  end_reason: z.string(),
});
export type SubscriptionView = z.output<typeof subscriptionView>;

export const managedSubscription = subscriptionView.extend({ user_id: z.number(), username: z.string() });
export type ManagedSubscription = z.output<typeof managedSubscription>;

const renews = z.number().int().min(1).optional();
const requestId = z.string().min(8).max(64);

export const plans = {
  offers: endpoint({
    method: 'GET',
    path: '/api/plan/',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '在售套餐', en: 'Plans on sale' },
    returns: z.array(planOffer),
  }),
  own: endpoint({
    method: 'GET',
    path: '/api/plan/self',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '我的订阅', en: 'Your subscriptions' },
    returns: z.object({
      wallet_first: z.boolean(),
      /** Running and bought ones by their end, then the last that ended. */
      subscriptions: z.array(subscriptionView),
    }),
  }),
  buy: endpoint({
    method: 'POST',
    path: '/api/plan/{id}/buy',
    access: 'user',
    organization: 'billing.manage',
    summary: { zh: '用余额购买套餐', en: 'Buy a plan from the balance' },
    params: idParams,
    body: z.object({
      /** The same key again is the same purchase. */
      request_id: requestId,
      /** The price that the buyer saw. */
      price_quota: z.number().int().min(1),
      /** A subscription of this plan: the new one starts when it ends. */
      renews,
    }),
    returns: subscriptionView,
    limit: 'critical',
  }),
  order: endpoint({
    method: 'POST',
    path: '/api/plan/{id}/order',
    access: 'user',
    organization: 'billing.manage',
    summary: { zh: '在线支付购买套餐', en: 'Buy a plan by online payment' },
    params: idParams,
    body: z.object({
      payment_method: z.enum(PAYMENT_METHODS),
      /** The price that the buyer saw. */
      price_minor: z.number().int().min(1),
      renews,
    }),
    returns: z.record(z.string(), z.string()),
    extra: z.object({ message: z.literal('success'), url: z.string(), trade_no: z.string() }),
    limit: 'critical',
  }),
  preference: endpoint({
    method: 'PUT',
    path: '/api/plan/self/preference',
    access: 'user',
    organization: 'billing.manage',
    summary: { zh: '设置优先使用余额还是订阅', en: 'Choose what pays first' },
    body: z.object({ wallet_first: z.boolean() }),
    returns: z.null(),
  }),
  autoRenew: endpoint({
    method: 'PUT',
    path: '/api/plan/self/{id}/renewal',
    access: 'user',
    organization: 'billing.manage',
    summary: { zh: '开关余额自动续订', en: 'Turn renewal from the balance on or off' },
    params: idParams,
    body: z.object({ auto_renew: z.boolean() }),
    returns: subscriptionView,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/plan/manage',
    access: 'admin',
    summary: { zh: '套餐列表与收入', en: 'List plans and their revenue' },
    returns: z.object({
      plans: z.array(managedPlan),
      /** Currencies in which online payment is configured. */
      currencies: z.array(z.object({ currency: z.string(), currency_digits: z.number() })),
      groups: z.array(z.string()),
      active: z.number(),
      expiring: z.number(),
      revenue,
      revenue_quota: z.number(),
      /** Of the last 30 days. */
      recent_revenue: revenue,
      recent_revenue_quota: z.number(),
    }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/plan/manage',
    access: 'admin',
    summary: { zh: '新建套餐', en: 'Create a plan' },
    body: planFields,
    returns: managedPlan,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/plan/manage/{id}',
    access: 'admin',
    summary: { zh: '修改套餐', en: 'Change a plan' },
    params: idParams,
    body: changedPlanFields,
    returns: managedPlan,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/plan/manage/{id}',
    access: 'admin',
    summary: { zh: '删除套餐', en: 'Delete a plan' },
    params: idParams,
    returns: z.null(),
  }),
  subscriptions: endpoint({
    method: 'GET',
    path: '/api/plan/subscriptions',
    access: 'admin',
    summary: { zh: '订阅列表', en: 'List subscriptions' },
    query: pageFromOne.extend({
      plan_id: z.coerce.number().int().min(1).optional(),
      state: z.enum([...SUBSCRIPTION_STATES, 'expiring']).optional(),
      /** Username; a number is also a user id. */
      keyword: z.string().trim().max(100).default(''),
    }),
    returns: itemList(managedSubscription),
  }),
  grant: endpoint({
    method: 'POST',
    path: '/api/plan/subscriptions',
    access: 'admin',
    summary: { zh: '赠送订阅', en: 'Grant a subscription' },
    body: z.object({
      plan_id: z.number().int().min(1),
      user_id: z.number().int().min(1),
      request_id: requestId,
    }),
    returns: managedSubscription,
    stepUp: true,
  }),
  end: endpoint({
    method: 'POST',
    path: '/api/plan/subscriptions/{id}/end',
    access: 'admin',
    summary: { zh: '提前结束订阅', en: 'End a subscription early' },
    params: idParams,
    body: z.object({ reason: z.string().trim().min(1).max(200) }),
    returns: managedSubscription,
    stepUp: true,
  }),
  ...planPages,
};
