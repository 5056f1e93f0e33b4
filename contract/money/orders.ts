// Online top-up: what can be paid, the price of an amount, and the orders. `/api/user/amount` and `/api/user/pay` answer in
// the form that existing clients read: `message` is `success`, `data` the price or the fields of the provider's form.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { orderPages } from '#contract/admin/order-page.ts';
import {
  adminOrderView,
  ORDER_STATUS,
  orderEvent,
  orderView,
  PAYMENT_METHODS,
  PAYMENT_PROVIDERS,
  REFUND_STATUS,
  refundView,
} from './order-views.ts';

export {
  adminOrderView,
  DISPUTE_STATUS,
  ORDER_EVENTS,
  ORDER_STATUS,
  orderView,
  PAYMENT_METHODS,
  PAYMENT_PROVIDERS,
  REFUND_STATUS,
  refundView,
  TOP_UP_MAX_DOLLARS,
} from './order-views.ts';
export type {
  AdminOrderView,
  OrderEventKind,
  OrderStatus,
  OrderView,
  PaymentMethodName,
  PaymentProviderName,
  RefundView,
} from './order-views.ts';

const money = z.number().int().min(0);

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
    organization: 'billing.read',
    summary: { zh: '在线充值方式与限额', en: 'Payment methods and limits of online top-up' },
    returns: topUpInfo,
  }),
  amount: endpoint({
    method: 'POST',
    path: '/api/user/amount',
    access: 'user',
    organization: 'billing.read',
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
    organization: 'billing.manage',
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
    organization: 'billing.read',
    summary: { zh: '我的充值订单', en: 'Your orders' },
    query: pageFromOne.extend({ status: z.enum(ORDER_STATUS).optional() }),
    returns: itemList(orderView),
  }),
  ownOne: endpoint({
    method: 'GET',
    path: '/api/order/self/{trade_no}',
    access: 'user',
    organization: 'billing.read',
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
  ...orderPages,
};
