// The operations of the ledger and their results. Every backend runs them in group commits; the spool stores them as JSON.
import type { NewRow } from '#server/platform/store/schema.ts';

/**
 * A row of `logs` without its id. The ledger itself writes `created_at`, `request_id` and, for a settled call, `quota` and
 * `cost`.
 */
export type LogRow = Omit<NewRow<'logs'>, 'id' | 'created_at' | 'request_id' | 'cost'>;

export type Subject = 'user' | 'token' | 'project';
export type Lifetime = 'call' | 'task';
export type RecoveryPolicy = 'checkpoint' | 'full' | 'review';

export type RefusalReason =
  | 'insufficient_user_quota'
  | 'insufficient_token_quota'
  | 'plan_empty'
  | 'user_unavailable'
  | 'token_unavailable'
  | 'token_expired'
  | 'requests_per_minute'
  | 'tokens_per_minute'
  | 'concurrent_calls'
  | 'day_budget'
  | 'month_budget'
  | 'organization_budget';

/** The last known progress of a running call, charged if the process dies before it settles. */
export interface Checkpoint {
  quota: number;
  promptTokens: number;
  completionTokens: number;
  channelId: number;
  /** What that cost the operator; null or missing: unknown. */
  cost?: number | null;
}

/** What other calls hold inside the slice without a row. On PostgreSQL nothing: there the slice has a row itself. */
export interface MemoryHeld {
  user: number;
  token: number;
  /** Of the counters of the call's budgets, in their order; missing without a budget. */
  budgets?: readonly number[] | undefined;
}

export const NOTHING_IN_MEMORY: Readonly<MemoryHeld> = { user: 0, token: 0 };

/** The subscriptions that may pay for a call, in the order in which they are tried; one pays, beside the balance. */
export interface PlanChoice {
  ids: readonly number[];
  /** The subscription pays before the balance. */
  isPlanFirst: boolean;
  /** Refused with `plan_empty` when none of them has anything: the price of the call is that of the plan's group. */
  isRequired: boolean;
}

/** The subscription that a hold has chosen. */
export interface HeldPlan {
  subscriptionId: number;
  planPeriod: number;
  isPlanFirst: boolean;
}

export interface Reserve {
  kind: 'reserve';
  requestId: string;
  userId: number;
  /** 0 = no token is checked or charged. */
  tokenId: number;
  amount: number;
  /** The smallest hold that the call can use; missing: `amount`. */
  least?: number | undefined;
  /** Estimated tokens, counted against tokens per minute. */
  tokens: number;
  /** Unix seconds. */
  expiresAt: number;
  /** Text of the hold's snapshot; empty when the first checkpoint brings it. */
  snapshot: string;
  lifetime: Lifetime;
  memoryHeld: MemoryHeld;
  /** Only for users with a subscription. */
  plans?: PlanChoice | undefined;
  /** The counters of budgets that apply, as a comma list; missing: none. */
  budgets?: string | undefined;
}

/** What a call holds inside the slice of its node, or asks to be added to it. */
export interface SlicePart {
  /** Of the row of the slice; empty on SQLite, where the slice is the whole balance. */
  id: string;
  amount: number;
}

/** What a settled call held stays with its node. */
export interface Growth extends SlicePart {
  isNew: boolean;
}

/** A hold inside the slice gets its own row (PostgreSQL). */
export interface WriteHold {
  kind: 'writeHold';
  requestId: string;
  slice: SlicePart;
  owner: HoldOwner;
  /** Unix seconds. */
  expiresAt: number;
  /** The answer to the first one was lost. */
  isAgain: boolean;
}

export interface Extend {
  kind: 'extend';
  requestId: string;
  moreAmount: number;
  memoryHeld: MemoryHeld;
}

/** The call was sent upstream, and how far it is. */
export interface NoteProgress {
  kind: 'noteProgress';
  requestId: string;
  checkpoint: Checkpoint | undefined;
  /** Text of the hold's snapshot; empty when the hold has it already. */
  snapshot: string;
  /** The call goes on as another model's: this snapshot replaces the first one. */
  renews?: boolean;
}

export interface Settle {
  kind: 'settle';
  requestId: string;
  /** Unix seconds when the call ended; 0 = now. A replayed settlement keeps its time. */
  at: number;
  charge: number;
  /** What the call cost the operator; null, or missing in an older spool: unknown. */
  cost?: number | null;
  /** Missing in an older spool. */
  group?: string;
  /** Used tokens minus the tokens counted at admission. */
  tokenDifference: number;
  channelId: number;
  modelName: string;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  firstTokenMs: number;
  errorCount: number;
  log: LogRow | null;
  /** Who pays if the hold is gone; undefined when this process did not open the call: then nothing is charged. */
  owner: HoldOwner | undefined;
  /** What the call held, for a hold without a row; undefined, or missing in an older spool: not known. */
  held?: number | undefined;
  memoryHeld: MemoryHeld;
  /** The hold is inside the slice: the call has no row. */
  slice?: SlicePart | undefined;
  /** The call may have a row all the same. */
  isAgain?: boolean;
  growth?: Growth | undefined;
}

export interface HoldOwner {
  userId: number;
  tokenId: number;
  plan?: HeldPlan | undefined;
  /** The counters of budgets that the hold is taken from, as a comma list; missing: none. */
  budgets?: string | undefined;
}

export interface Release {
  kind: 'release';
  requestId: string;
  at: number;
  tokenDifference: number;
  failure: FailedCall | undefined;
  /** Whose hold it was, who gets the money back if recovery has charged the call; undefined when this process did not open it. */
  owner?: HoldOwner | undefined;
  /** The hold was inside the slice: the call has no row. */
  slice?: SlicePart | undefined;
  /** From the spool: it may have been written before, and then its log row is there. */
  isAgain?: boolean;
}

/** What a call that failed before any output leaves in the statistics. */
export interface FailedCall {
  channelId: number;
  modelName: string;
  useTimeMs: number;
  log: LogRow | null;
}

export interface Recover {
  kind: 'recover';
  requestId: string;
  policy: RecoveryPolicy;
}

/** Ends the period of a subscription that is over. */
export interface RollPeriod {
  kind: 'rollPeriod';
  /** Of no call: empty. */
  requestId: '';
  subscriptionId: number;
}

export type Operation = Reserve | WriteHold | Extend | NoteProgress | Settle | Release | Recover | RollPeriod;

/** A refusal for want of balance or quota, while something is held of the user or the token. */
export interface Shortage {
  userId: number;
  /** Of the user, in the tables. */
  held: number;
  /** All that is held would be enough. */
  isCoverable: boolean;
}

export interface ExtendResult {
  isLarger: boolean;
  shortage?: Shortage;
}

export type ReserveResult =
  | {
      ok: true;
      balance: number;
      /** Of the hold: between `least` and `amount`. */
      amount: number;
      plan?: HeldPlan;
    }
  | {
      ok: false;
      balance: number;
      /** What this call could hold at most, where an amount was the reason; else 0. */
      available: number;
      reason: RefusalReason;
      subject: Subject;
      /** 0 when waiting does not help. */
      retryAfterSeconds: number;
      /** The counter of the budget that refused it. */
      counterId?: number;
      /** The status the refusal gave the token; 0 = unchanged. */
      tokenStatus: number;
      shortage?: Shortage;
    };

export interface SettleResult {
  charged: number;
  /** What the tables show as free; -1 when it is not known. */
  balance: number;
  suspense: number;
  /** The part of `charged` that was above the hold. */
  aboveHold: number;
  duplicate: boolean;
  /** The settlement ended a hold; false when the hold was gone. */
  hadHold: boolean;
  /** PostgreSQL: what of the call's amount is in the slice after it, and not in `balance`. Missing: there is no slice. */
  sliceKept?: number;
  /** More calls may be admitted from the slice. */
  isSliceOpen?: boolean;
  /** The status the charge gave the token; 0 = unchanged. */
  tokenStatus: number;
}

export interface RecoverResult {
  requestId: string;
  how: 'gone' | 'released' | 'charged' | 'review';
  charged: number;
  userId: number;
}

export interface Results {
  reserve: ReserveResult;
  writeHold: null;
  extend: ExtendResult;
  noteProgress: null;
  settle: SettleResult;
  release: boolean;
  recover: RecoverResult;
  rollPeriod: boolean;
}

export type ResultOf<Op extends Operation> = Results[Op['kind']];

/** A settlement that found its call ended before, or that is in the spool: the balance is not known. */
export function unknownSettlement(charged: number, duplicate: boolean): SettleResult {
  const nothing = { balance: -1, suspense: 0, aboveHold: 0, tokenStatus: 0 };
  return { charged, ...nothing, duplicate, hadHold: !duplicate };
}

/** The settlement of a call by code that is not its process. */
export function settlementOf(requestId: string, owner: HoldOwner): Settle {
  const nothingUsed = { charge: 0, promptTokens: 0, completionTokens: 0, useTimeMs: 0, firstTokenMs: 0 };
  const counted = { at: 0, cost: null, tokenDifference: 0, errorCount: 1, log: null };
  const of = { requestId, owner, channelId: 0, modelName: '' };
  return { kind: 'settle', ...of, ...nothingUsed, ...counted, memoryHeld: NOTHING_IN_MEMORY };
}
