// Online top-up: what can be paid, the price of an amount, and the orders. `/api/user/amount` and `/api/user/pay` answer in
// the form that existing clients read: `message` is `success`, `data` the price or the fields of the provider's form.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';

export const ORDER_STATUS = ['pending', 'paid', 'expired', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUS)[number];

export const PAYMENT_PROVIDERS = ['epay', 'stripe'] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** `zfb` and `wx` are the names that existing clients send for Alipay and WeChat. */
export const PAYMENT_METHODS = ['zfb', 'wx', 'stripe'] as const;
export type PaymentMethodName = (typeof PAYMENT_METHODS)[number];

/** Largest amount of one order, in dollars. */
export const TOP_UP_MAX_DOLLARS = 1_000_000;

const money = z.number().int().min(0);

/** How an order came to its end, oldest first. */
export const ORDER_EVENTS = [
  'created',
  'callback',
  'refused',
  'asked',
  'credited',
  'completed',
  'expired',
  'refund_begun',
  'refund_pending',
  'refund_done',
  'refund_failed',
  'refunded_outside',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
] as const;
export type OrderEventKind = (typeof ORDER_EVENTS)[number];

const orderEvent = z.object({ created_at: z.number(), kind: z.enum(ORDER_EVENTS), detail: z.string() });

/** Empty: not disputed. */
export const DISPUTE_STATUS = ['', 'open', 'won', 'lost'] as const;

export const orderView = z.object({
  id: z.number(),
  trade_no: z.string(),
  provider: z.string(),
  payment_method: z.string(),
  /** In the smallest unit of the currency. */
  amount_minor: money,
  currency: z.string(),
  /** Digits behind the point that the currency has. */
  currency_digits: z.number(),
  quota: z.number(),
  status: z.enum(ORDER_STATUS),
  created_at: z.number(),
  paid_at: z.number(),
  expires_at: z.number(),
  refunded_minor: money,
  refunded_quota: z.number(),
  /** Whether the payer's bank claims the payment back, or did; empty = never. */
  dispute_status: z.enum(DISPUTE_STATUS),
  /** The part of the price that is claimed now, and the quota that belongs to it. */
  disputed_minor: money,
  disputed_quota: z.number(),
  /** Taken from the balance until the dispute ends. */
  frozen_quota: z.number(),
  /** The plan that is bought; 0 and empty for quota. */
  plan_id: z.number(),
  plan_name: z.string(),
  /** What the price was made of, frozen when the order was placed. */
  terms: z.object({
    dollars: z.number(),
    price: z.number(),
    group: z.string(),
    group_ratio: z.number(),
    discount: z.number(),
    promotion: z.string(),
  }),
});
export type OrderView = z.output<typeof orderView>;

/** What an administrator sees beside it. */
export const adminOrderView = orderView.extend({
  user_id: z.number(),
  username: z.string(),
  provider_reference: z.string(),
  payer: z.string(),
  /** Quota that was spent before the bank took the money back: the operator's loss. */
  lost_quota: z.number(),
});
export type AdminOrderView = z.output<typeof adminOrderView>;

export const REFUND_STATUS = ['pending', 'done', 'failed'] as const;

export const refundView = z.object({
  id: z.number(),
  created_at: z.number(),
  amount_minor: money,
  quota: z.number(),
  status: z.enum(REFUND_STATUS),
  reason: z.string(),
  /** The provider has taken it; while it is pending, the money is not paid back yet. */
  is_accepted: z.boolean(),
  /** The provider gave no clear answer: an administrator decides how it ended. */
  can_end: z.boolean(),
});
export type RefundView = z.output<typeof refundView>;

export const topUpInfo = z.object({
  enabled: z.boolean(),
  methods: z.array(
    z.object({
      name: z.enum(PAYMENT_METHODS),
      provider: z.enum(PAYMENT_PROVIDERS),
      currency: z.string(),
      currency_digits: z.number(),
    }),
  ),
  /** Smallest amount, in the unit in which amounts are entered. */
  min_topup: z.number(),
  /** Quota of one entered unit: QuotaPerUnit when amounts are dollars, else 1. */
  unit_quota: z.number(),
  /** Amounts to choose from, in the unit in which amounts are entered; `discount` 0.9 costs a tenth less. */
  presets: z.array(z.object({ amount: z.number(), discount: z.number() })),
  group_ratio: z.number(),
});
export type TopUpInfo = z.output<typeof topUpInfo>;

const amountBody = z.object({
  /** Dollars, or quota where the site shows quota. */
  amount: z.coerce.number().int().min(1),
  top_up_code: z.string().trim().max(64).optional(),
  payment_method: z.enum(PAYMENT_METHODS).optional(),
});

const success = z.object({ message: z.literal('success') });

const orderFilter = pageFromOne.extend({
  status: z.enum(ORDER_STATUS).optional(),
  provider: z.enum(PAYMENT_PROVIDERS).optional(),
  /** Order number, provider's number or username; a number is also a user id. */
  keyword: z.string().trim().max(100).default(''),
  start_timestamp: z.coerce.number().int().min(0).optional(),
  end_timestamp: z.coerce.number().int().min(0).optional(),
});

const reason = z.string().trim().min(1).max(200);

export const orders = {
  info: endpoint({
    method: 'GET',
    path: '/api/user/topup/info',
    access: 'user',
    summary: { zh: '在线充值方式与限额', en: 'Ways and limits of online top-up' },
    returns: topUpInfo,
  }),
  amount: endpoint({
    method: 'POST',
    path: '/api/user/amount',
    access: 'user',
    summary: { zh: '查询充值价格', en: 'Price of a top-up' },
    body: amountBody,
    returns: z.string(),
    extra: success.extend({
      amount_minor: money,
      currency: z.string(),
      currency_digits: z.number(),
      quota: z.number(),
    }),
  }),
  pay: endpoint({
    method: 'POST',
    path: '/api/user/pay',
    access: 'user',
    summary: { zh: '创建充值订单', en: 'Place an order' },
    body: amountBody.extend({ payment_method: z.enum(PAYMENT_METHODS) }),
    returns: z.record(z.string(), z.string()),
    extra: success.extend({
      /** Where the fields are posted; without fields it is opened. */
      url: z.string(),
      trade_no: z.string(),
    }),
    limit: 'critical',
  }),
  own: endpoint({
    method: 'GET',
    path: '/api/order/self',
    access: 'user',
    summary: { zh: '我的充值订单', en: 'Your orders' },
    query: pageFromOne.extend({ status: z.enum(ORDER_STATUS).optional() }),
    returns: itemList(orderView),
  }),
  ownOne: endpoint({
    method: 'GET',
    path: '/api/order/self/{trade_no}',
    access: 'user',
    summary: { zh: '读取我的一个订单', en: 'Read one of your orders' },
    params: z.object({ trade_no: z.string().max(100) }),
    returns: orderView,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/order/',
    access: 'admin',
    summary: { zh: '充值订单列表', en: 'List orders' },
    query: orderFilter,
    returns: itemList(adminOrderView).extend({
      /** Over the whole filter, by currency. */
      paid: z.array(z.object({ currency: z.string(), currency_digits: z.number(), amount_minor: money })),
      paid_quota: z.number(),
    }),
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/order/{id}',
    access: 'admin',
    summary: { zh: '读取订单及其经过', en: 'Read an order and its events' },
    params: idParams,
    returns: adminOrderView.extend({
      events: z.array(orderEvent),
      refunds: z.array(refundView),
      /** What a refund could take from the balance now. */
      refundable_quota: z.number(),
    }),
  }),
  complete: endpoint({
    method: 'POST',
    path: '/api/order/{id}/complete',
    access: 'admin',
    summary: { zh: '手动完成订单', en: 'Complete an order by hand' },
    params: idParams,
    body: z.object({ reason }),
    returns: adminOrderView,
    stepUp: true,
  }),
  refund: endpoint({
    method: 'POST',
    path: '/api/order/{id}/refund',
    access: 'admin',
    summary: { zh: '退款', en: 'Refund an order' },
    params: idParams,
    body: z.object({
      reason,
      amount_minor: z.number().int().min(1),
      /** The provider pays back; without it only the books change (the money went back another way). */
      at_provider: z.boolean(),
      /** The same key again is the same refund. */
      request_id: z.string().min(8).max(64),
    }),
    /** `pending`: the provider has not paid back yet, or did not say. */
    returns: adminOrderView.extend({ refund_status: z.enum(REFUND_STATUS) }),
    stepUp: true,
  }),
  /** For a refund whose outcome the provider did not say, by what the administrator saw at the provider. */
  endRefund: endpoint({
    method: 'POST',
    path: '/api/order/{id}/refund/end',
    access: 'admin',
    summary: { zh: '结束结果未知的退款', en: 'End a refund with an unknown outcome' },
    params: idParams,
    body: z.object({
      refund_id: z.number().int().positive(),
      /** False: nothing was paid back, and the quota returns to the user. */
      is_paid_back: z.boolean(),
      reason,
    }),
    returns: adminOrderView,
    stepUp: true,
  }),
};
