// The money core as the relay and the admin API see it. Every promise resolves after its effect is committed (a hold
// survives kill -9, everything else a power cut too), every effect happens exactly once per request id or idempotency key,
// and no operation takes a balance below zero.
import type { Transaction } from 'kysely';
import { BUDGETS_OF_UTC, type BudgetZones } from '#contract/money/budget-windows.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type {
  Checkpoint,
  LogRow,
  PlanChoice,
  RecoveryPolicy,
  RefusalReason,
  Subject,
} from './engine/operations.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';

export type { Checkpoint, LogRow, PlanChoice, RecoveryPolicy, RefusalReason };
export { AmountError, LedgerUnavailableError } from './errors.ts';

/** What the call asks of the limits in the user's and the token's row. */
export interface AdmissionLimits {
  /** Estimated tokens, counted against tokens per minute; settling corrects the count to what was used. */
  tokens: number;
}

/** Kept with the hold: a later price change never alters a running call, and recovery can still write the log row. */
export interface HoldSnapshot {
  price: PriceSnapshot;
  /** Called when the hold gets its row; most calls end before. */
  log(): LogRow;
}

export interface ReserveRequest {
  requestId: string;
  userId: number;
  /** 0 = playground: no token is checked or charged. */
  tokenId: number;
  amount: number;
  /** The smallest hold that the call can use: it gets as much of `amount` as there is. Missing: all of it or none. */
  least?: number | undefined;
  limits: AdmissionLimits;
  snapshot: HoldSnapshot;
  /** Unix seconds; past it the hold is resolved as if its process had died. */
  expiresAt: number;
  /** `task` holds outlive the process that made them (asynchronous upstreams). Default `call`. */
  lifetime?: 'call' | 'task';
  /** Subscriptions that may pay a part of the call. */
  plans?: PlanChoice | undefined;
  /** The counters of budgets that apply, as `counterList` writes them. */
  budgets?: string | undefined;
}

export interface Refusal {
  ok: false;
  reason: RefusalReason;
  /** Whose limit refused the call. */
  subject: Subject;
  /** 0 when waiting does not help. */
  retryAfterSeconds: number;
  /** What the user can still spend. */
  balance: number;
  /** What this call could hold at most, where an amount was the reason; else 0. */
  available: number;
  /** The counter of the budget that refused the call. */
  counterId?: number | undefined;
}

export type Admission = { ok: true; balance: number } | Refusal;

/** A call with a hold; the code that opened it must settle or release it. */
export interface LedgerCall {
  readonly requestId: string;
}

export type Opening =
  | { ok: true; balance: number; /** Of the hold. */ amount: number; call: LedgerCall }
  | Refusal;

export interface Outcome {
  charge: number;
  /** What the call cost the operator, in quota units; null: unknown. It moves no money. */
  cost: number | null;
  group: string;
  channelId: number;
  modelName: string;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  /** 0 when the answer was not streamed. */
  firstTokenMs: number;
  /** Counts the call among the errors of the hour. */
  failed?: boolean;
  /** null when the operator keeps no consumption log; the charge is the same. */
  log: LogRow | null;
}

export interface Settlement {
  charged: number;
  /** What the user can still spend. */
  balance: number;
  /** What the upstream used beyond hold and balance; booked as the operator's loss. */
  suspense: number;
  /** The call was settled or released before; nothing changed. */
  duplicate: boolean;
}

/** What a call that failed before any output leaves in the statistics. */
export interface Failure {
  channelId: number;
  modelName: string;
  useTimeMs: number;
  log?: LogRow;
}

/** `user`, `aff` and `agent` (dividends) mean the account of `userId`, `plan:<id>` that of one of the user's subscriptions. */
export type Account =
  | 'user'
  | 'aff'
  | 'agent'
  | `plan:${number}`
  | 'revenue'
  | 'suspense'
  | 'world:admin'
  | 'world:dividend'
  | 'world:checkin'
  | 'world:dispute'
  | 'world:import'
  /** What moves from one balance to another passes it. */
  | 'world:moved'
  | 'world:plan'
  | 'world:redeem'
  | 'world:signup'
  | 'world:withdrawal'
  | `world:topup:${string}`;

export interface Transfer {
  /** Seen before = nothing moves. */
  idem: string;
  userId: number;
  /** A positive integer. */
  amount: number;
  from: Account;
  to: Account;
  kind: string;
  reference: string;
  log?: LogRow;
  /** Unix seconds; default: now. */
  at?: number;
}

export type TransferResult =
  | { ok: true; duplicate: boolean; quota: number; affQuota: number; dividendQuota: number }
  | { ok: false; reason: 'insufficient_quota' | 'user_missing' | 'subscription_missing' | 'over_limit' };

/** Shown to the operator. */
export type LedgerAlert =
  /** Hold and balance could not pay this part of a charge. */
  | { kind: 'suspense'; requestId: string; userId: number; amount: number }
  /** The hold did not cover this part of a charge; the balance paid it. */
  | { kind: 'above_hold'; requestId: string; userId: number; amount: number }
  | {
      kind: 'recovered';
      requestId: string;
      userId: number;
      how: 'released' | 'charged' | 'review';
      charged: number;
    }
  /** Calls are refused until the day or month ends, or until the token gets quota; repeated for each refused call. */
  | {
      kind: 'budget_reached';
      /** A project has no such budget. */
      subject: Exclude<Subject, 'project'>;
      limit: 'day' | 'month' | 'quota';
      /** What is left: the refused call needed more. */
      available: number;
      /** Until the next day or month begins; 0 of a quota. */
      retryAfterSeconds: number;
      userId: number;
      tokenId: number;
    }
  | { kind: 'unavailable'; message: string }
  | { kind: 'available'; replayed: number }
  /** Another process runs under the name of this node; this one admits no more calls. */
  | { kind: 'superseded'; message: string }
  | { kind: 'fault'; message: string };

export interface LedgerConfiguration {
  /** A user whose balance falls to it is notified; negative: no user is. */
  lowBalanceThreshold: number;
  recoveryPolicy: RecoveryPolicy;
  /** Whose days and months budgets count. */
  budgetZones: BudgetZones;
}

export const STANDARD_CONFIGURATION: LedgerConfiguration = {
  lowBalanceThreshold: -1,
  recoveryPolicy: 'checkpoint',
  budgetZones: BUDGETS_OF_UTC,
};

export interface Heartbeat {
  readonly everySeconds: number;
  beat(): Promise<void>;
}

export interface Ledger {
  /** Calls of this process whose end is not yet durable; tasks do not count. */
  readonly openCalls: number;
  /** False: the database takes no writes now, and new spending is refused. */
  readonly isWritable: boolean;
  /** Takes a hold, usually without waiting. The returned call is the handle of every later operation. */
  open(request: ReserveRequest): Opening | Promise<Opening>;
  /** The same for a call that ends by its id, possibly on another node. */
  reserve(request: ReserveRequest): Promise<Admission>;
  /** Enlarges the hold; false when the balance or the token does not allow it. */
  extend(call: LedgerCall | string, moreAmount: number): Promise<boolean>;
  /** The call was sent upstream, and how far it is. Written within a quarter of a second unless the call ends first. */
  dispatched(call: LedgerCall | string, checkpoint?: Checkpoint): void;
  /** The call goes on as another model's: the next note of it as dispatched replaces what is kept with its hold. */
  renew(call: LedgerCall, snapshot: HoldSnapshot): void;
  settle(call: LedgerCall | string, outcome: Outcome): Promise<Settlement>;
  release(call: LedgerCall | string, failure?: Failure): Promise<void>;
  /** Into the user's balance. */
  credit(transfer: Omit<Transfer, 'to'>): Promise<TransferResult>;
  /** Out of the user's balance; never touches what running calls hold. */
  debit(transfer: Omit<Transfer, 'from'>): Promise<TransferResult>;
  /** Inside a transaction of the calling code: for an order, a code or an invite that must change with the balance. */
  transferWithin(transaction: Transaction<Schema>, transfer: Transfer): Promise<TransferResult>;
  /** A new threshold or recovery policy, from the settings. */
  configure(configuration: LedgerConfiguration): Promise<void>;
  /** Resolves holds whose process is gone or that have expired; a job runs it. Returns how many. */
  recover(): Promise<number>;
  /** Ends a period of the subscription that is over, and begins the next one; true: something changed. A job runs it. */
  rollPeriod(subscriptionId: number): Promise<boolean>;
  /** Where several nodes can run: must be called so often while this process admits calls. */
  readonly heartbeat: Heartbeat | undefined;
  /**
   * Writes the holds that are in memory only, so that the tables show what every running call holds, of one user or of all. Of
   * one user also: the nodes give back what they have set aside. Call it before a transaction that takes from a balance, not in it.
   */
  writeHolds(userId?: number): Promise<void>;
  /** Changes nothing; resolves when the writer of the ledger has answered. For the overload probe. */
  probe(): Promise<void>;
  /** Spendable balance read from the database. */
  balance(userId: number): Promise<number>;
  /** Writes what is pending; running calls are left to recovery. */
  close(): Promise<void>;
}
