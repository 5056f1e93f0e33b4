// Resellers. The balance of dividends is a column of `users`, written by the ledger as every balance is.
import type { Default, Flag } from './column.ts';

export interface AgentsTable {
  user_id: number;
  /** 0: the agency has ended. The row stays, with what was earned. */
  active: Default<Flag>;
  /** Share of what a directly invited user pays or spends, in hundredths of a percent. */
  rate: number;
  /** Part of reversed dividends that the balance did not cover; taken from what comes in next. */
  owed_quota: Default<number>;
  created_at: number;
  updated_at: number;
}

export type DividendKind = 'payment' | 'spend' | 'reversal' | 'restored' | 'owed';

/** One record per event. Its `idem` is the key of its ledger entry; a record with amount 0 has none. */
export interface DividendsTable {
  id: Default<number>;
  idem: string;
  created_at: number;
  agent_id: number;
  /** 0: what was owed, taken from money that came back without a customer. */
  customer_id: number;
  /** 1: the agent invited the customer. 2: the agent invited the customer's inviter. */
  level: number;
  kind: Default<DividendKind>;
  order_id: Default<number>;
  refund_id: Default<number>;
  base_quota: Default<number>;
  /** Hundredths of a percent. */
  rate: Default<number>;
  /** Change of the dividend balance. */
  amount: number;
  /** Change of what the agent owes. */
  owed: Default<number>;
}

/** Spending that was counted and has not become a dividend; negative after a charge was given back. */
export interface DividendSpendTable {
  agent_id: number;
  customer_id: number;
  level: number;
  pending: Default<number>;
  /** How often a dividend was made of it: part of the key of the next one. */
  payouts: Default<number>;
}

export type WithdrawalStatus = 'requested' | 'approved' | 'paid' | 'refused';

export interface WithdrawalsTable {
  id: Default<number>;
  user_id: number;
  /** Chosen by the caller: the same request of a user sent twice is one. */
  request_id: string;
  created_at: number;
  method: string;
  account: string;
  /** Taken from the dividend balance with the request. */
  quota: Default<number>;
  /** Part of `quota` that is not paid out. */
  fee_quota: Default<number>;
  status: Default<WithdrawalStatus>;
  decided_at: Default<number>;
  decided_by: Default<number>;
  paid_at: Default<number>;
  /** The reason of a refusal, or the reference of a payment; the agent reads it. */
  note: Default<string>;
}
