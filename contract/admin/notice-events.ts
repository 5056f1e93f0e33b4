// The closed list of what a user or the operators can be notified of, and the values that each text names. Quota and times
// (unix seconds) are numbers; the text formats them.

import type { Text } from '#contract/language.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';

export interface UserNoticeValues {
  /** `balance`: quota that is left. */
  low_balance: { balance: number };
  /** The limit that refuses calls until the day or month of the site ends, or until the token's quota is raised. */
  budget_reached: {
    subject: 'user' | 'token';
    /** Empty for the user's own budget. */
    token_name: string;
    limit: 'day' | 'month' | 'quota';
    /** Quota. */
    amount: number;
    /** When the next day or month begins; missing of a quota and in rows of earlier versions. */
    resets_at?: number;
  };
  /** A budget of an organization has reached a part of its limit. Quota. */
  organization_budget: {
    budget: string;
    /** Of the tag, where every value has a budget for itself; else empty. */
    value: string;
    percent: 50 | 80 | 100;
    spent: number;
    limit: number;
    /** Calls are refused once it is used up. */
    is_hard: boolean;
    /** When the next window begins; 0 of a budget without an end. */
    resets_at: number;
  };
  /** A member asks an organization for more of a budget. `amount`: quota. */
  budget_asked: { budget: string; member: string; amount: number; reason: string };
  /** To the member who asked. `granted`: quota; 0: declined. */
  budget_decided: { organization: string; budget: string; granted: number; answer: string };
  token_expiring: { token_name: string; expires_at: number };
  /** An operator disabled a key that was found in the open. `key`: masked; `reason`: where it was found, may be empty. */
  token_leaked: { token_name: string; key: string; reason: string };
  /** `plan_en`: the English name of the plan, if it has one. */
  subscription_ending: { plan: string; plan_en?: string; ends_at: number };
  subscription_ended: { plan: string; plan_en?: string };
  /** `amount`: quota; negative: given back. `first` and `last`: days of the calls. `undone`: an earlier correction is taken back. */
  charges_corrected: {
    amount: number;
    days: number;
    first: number;
    last: number;
    reason: string;
    undone: boolean;
  };
  /** `amount`: text with its currency or unit. `reason`: of a refusal, else empty. */
  withdrawal_decided: { decision: 'approved' | 'paid' | 'refused'; amount: string; reason: string };
  /** A refund that was begun was not paid. `amount`: text with its currency; `quota`: given back to the balance. */
  order_refund_failed: { order: string; amount: string; quota: number };
  /** The bank claims a payment back. `quota`: frozen, given back or taken, by the status. */
  order_disputed: { order: string; status: 'open' | 'won' | 'lost'; amount: string; quota: number };
}

export interface OperatorNoticeValues {
  channel_disabled: { channel_id: number; channel_name: string; reason: string };
  channel_enabled: { channel_id: number; channel_name: string };
  /** `order`: the trade number; empty when the alert concerns no single order. */
  payment_alert: { order: string; reason: string };
  refund_failed: { order: string; amount: string; reason: string };
  /** `lost`: quota that was spent before the bank took the money back. */
  payment_disputed: {
    order: string;
    status: 'open' | 'won' | 'lost';
    amount: string;
    quota: number;
    lost: number;
    reason: string;
  };
  /** `invariant`: its English name. `concerned_user_id`: 0 when no single user is concerned; missing in rows of earlier versions. */
  invariant_broken: { invariant: string; concerned_user_id?: number; detail: string };
  /** `title`: missing in rows of earlier versions. `error`: a fact, or the text of an exception. */
  job_failed: { job: string; title?: Text; failures: number; error: string };
  /** `balance`: in dollars, as the upstream reports it. */
  upstream_balance_low: { channel_id: number; channel_name: string; balance: number };
  /** A model of a channel brought less than it cost in the last `days`; both amounts in quota. */
  negative_margin: {
    channel_id: number;
    channel_name: string;
    model: string;
    revenue: number;
    cost: number;
    days: number;
  };
  withdrawal_requested: { username: string; amount: string };
  /** `signals`: names of what was found, as in contract/suppliers/suppliers.ts. */
  supplier_score_low: {
    channel_id: number;
    channel_name: string;
    model: string;
    score: number;
    signals: string[];
  };
  /** Counts of an upstream's usage report that cannot be true; at most once an hour for each model of a channel. */
  usage_doubted: {
    channel_id: number;
    channel_name: string;
    model: string;
    request_id: string;
    doubts: UsageDoubt[];
  };
  /**
   * A call cost more than its hold. `paid`: the balance paid `amount`; `unpaid`: neither hold nor balance could pay it, and it is booked to `suspense`. At most
   * once an hour for each of the two.
   */
  hold_exceeded: { outcome: 'paid' | 'unpaid'; request_id: string; user_id: number; amount: number };
}

/** Items of the attention list that no other event reports: raised once for each item, and again when its fact changes. */
export const ATTENTION_NOTICE_EVENTS = [
  'writes_fail',
  'order_unanswered',
  'model_unpriced',
  'disk_full',
  'backup_old',
  'certificate_ending',
  'version_outdated',
  'node_gone',
  'check_late',
  'refund_waits',
  'rerating_waits',
  'draft_waits',
  'proposal_waits',
  'cost_unknown',
] as const;
export type AttentionNoticeEvent = (typeof ATTENTION_NOTICE_EVENTS)[number];

/** `values`: of the item, as its words name them (attention-words.ts); `address`: a page of the console. */
interface AttentionNoticeValues {
  values: Readonly<Record<string, string | number>>;
  address: string;
}

export type NoticeValues = UserNoticeValues &
  OperatorNoticeValues &
  Record<AttentionNoticeEvent, AttentionNoticeValues>;
export type UserNoticeEvent = keyof UserNoticeValues;
export type OperatorNoticeEvent = keyof OperatorNoticeValues | AttentionNoticeEvent;
export type NoticeEvent = keyof NoticeValues;

export const USER_NOTICE_EVENTS = [
  'low_balance',
  'budget_reached',
  'organization_budget',
  'budget_asked',
  'budget_decided',
  'token_expiring',
  'token_leaked',
  'subscription_ending',
  'subscription_ended',
  'charges_corrected',
  'withdrawal_decided',
  'order_refund_failed',
  'order_disputed',
] as const satisfies readonly UserNoticeEvent[];

export const OPERATOR_NOTICE_EVENTS = [
  'channel_disabled',
  'channel_enabled',
  'payment_alert',
  'refund_failed',
  'payment_disputed',
  'invariant_broken',
  'job_failed',
  'upstream_balance_low',
  'negative_margin',
  'withdrawal_requested',
  'supplier_score_low',
  'usage_doubted',
  'hold_exceeded',
  ...ATTENTION_NOTICE_EVENTS,
] as const satisfies readonly OperatorNoticeEvent[];
