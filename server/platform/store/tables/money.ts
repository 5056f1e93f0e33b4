// Money: holds, the append-only ledger and orders, written by server/money only; redemption codes, written by server/admin/redemptions.
import type { Default, Flag } from './column.ts';

export interface HoldsTable {
  id: string;
  user_id: number;
  token_id: Default<number>;
  node_id: string;
  epoch: number;
  amount: number;
  created_at: number;
  expires_at: number;
  dispatched: Default<Flag>;
  checkpoint_quota: Default<number>;
  checkpoint: Default<string>;
  snapshot: Default<string>;
  /** The subscription that may pay a part; 0 = none. */
  subscription_id: Default<number>;
  /** Part of `amount` that the subscription covers. */
  plan_amount: Default<number>;
  /** The period of the subscription that the part was taken from. */
  plan_period: Default<number>;
  /** 1 = the subscription pays before the balance. */
  plan_first: Default<Flag>;
  /** Comma list of the budget counters that the hold is taken from. */
  budgets: Default<string>;
}

/** Append-only: triggers refuse UPDATE and DELETE. One row is one balanced transfer. */
export interface LedgerTable {
  id: Default<number>;
  idem: string;
  created_at: number;
  user_id: Default<number>;
  debit_account: string;
  credit_account: string;
  amount: number;
  kind: string;
  reference: Default<string>;
}

/** Sums over the ledger, written by the audit. Month 0: everything; user 0 in month 0: how far the ledger is summed. */
export interface LedgerSumsTable {
  /** YYYYMM, UTC. */
  month: number;
  user_id: number;
  /** The sums include every row up to this id. */
  through_id: number;
  entries: Default<number>;
  balance: Default<number>;
  used: Default<number>;
  aff: Default<number>;
  dividend: Default<number>;
  /** Of the accounts of the user's subscriptions. */
  plan: Default<number>;
}

export type OrderStatus = 'pending' | 'paid' | 'expired' | 'refunded';

export interface OrdersTable {
  id: Default<number>;
  trade_no: string;
  user_id: number;
  provider: string;
  payment_method: Default<string>;
  amount_minor: number;
  currency: string;
  amount: Default<number>;
  quota: number;
  status: Default<OrderStatus>;
  provider_reference: Default<string>;
  created_at: number;
  paid_at: Default<number>;
  expires_at: Default<number>;
  /** JSON: what the price was made of. */
  detail: Default<string>;
  /** Who paid, as the provider names the account; empty when it does not. */
  payer: Default<string>;
  refunded_minor: Default<number>;
  refunded_quota: Default<number>;
  /** When the provider is asked about a pending order next. */
  next_query_at: Default<number>;
  queries: Default<number>;
  /** JSON: the seller as the settings named it when the order was paid; empty: paid before this was kept. */
  seller: Default<string>;
  /** The plan that is bought; 0 = quota for the balance. */
  plan_id: Default<number>;
  /** The provider's number of the money itself, where `provider_reference` is that of its page; empty until it is paid. */
  payment_reference: Default<string>;
  /** Of its disputes: an open one, else a lost one, else a won one; empty = none. */
  dispute_status: Default<'' | DisputeStatus>;
  /** The part of the price that open disputes claim, and the quota that belongs to it. */
  disputed_minor: Default<number>;
  disputed_quota: Default<number>;
  /** Taken from the balance for open disputes. */
  frozen_quota: Default<number>;
  /** Spent before the bank took the money back: the operator's loss. */
  lost_quota: Default<number>;
}

export type DisputeStatus = 'open' | 'won' | 'lost';

/** A payment that the payer's bank claims back. */
export interface DisputesTable {
  id: Default<number>;
  /** The provider's number. */
  reference: string;
  order_id: number;
  user_id: number;
  created_at: number;
  status: Default<DisputeStatus>;
  /** When the provider said so, by its clock: events may arrive in any order. */
  status_at: Default<number>;
  reason: Default<string>;
  /** What the bank claims. */
  claimed_minor: Default<number>;
  /** The part of the order that is claimed now, without what was refunded before; 0 when the dispute has ended. */
  amount_minor: Default<number>;
  /** What the bank took in the end; a refund of the order says the same. */
  booked_minor: Default<number>;
  /** The quota that belongs to `amount_minor`. */
  quota: Default<number>;
  frozen_quota: Default<number>;
  /** Held by calls that ran when it was frozen; frozen when they leave it over. */
  waiting_quota: Default<number>;
  lost_quota: Default<number>;
  /** Ledger rows so far: each has the next number in its key. */
  moves: Default<number>;
  /** The last entry of the ledger when it was frozen: what is credited after it is other money. */
  ledger_from: Default<number>;
}

export interface OrderEventsTable {
  id: Default<number>;
  order_id: number;
  created_at: number;
  kind: string;
  detail: Default<string>;
}

export interface RefundsTable {
  id: Default<number>;
  /** Chosen by the caller: the same refund asked for twice is one. */
  request_id: string;
  order_id: number;
  user_id: number;
  created_at: number;
  amount_minor: Default<number>;
  quota: Default<number>;
  status: Default<'pending' | 'done' | 'failed'>;
  provider_reference: Default<string>;
  reason: Default<string>;
  actor_id: Default<number>;
  /** When the provider is asked again about a pending refund; 0: as soon as it is not left to the call that began it. */
  next_query_at: Default<number>;
  queries: Default<number>;
}

export interface RedemptionsTable {
  id: Default<number>;
  user_id: Default<number>;
  key_digest: string;
  key_sealed: Default<string>;
  name: Default<string>;
  status: Default<number>;
  quota: Default<number>;
  created_time: Default<number>;
  redeemed_time: Default<number>;
  used_user_id: Default<number>;
  batch: Default<string>;
  expired_time: Default<number>;
  deleted_at: number | null;
}
