// Orders as the API shows them: to who placed one, and to administrators.
import { z } from 'zod';

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

export const orderEvent = z.object({
  created_at: z.number(),
  kind: z.enum(ORDER_EVENTS),
  detail: z.string(),
});

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
