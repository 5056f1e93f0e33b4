// The money core as the relay and the features see it. Every promise resolves after its effect is committed (a
// hold survives kill -9, everything else a power cut too), every effect
// happens exactly once per request id or idempotency key, and no operation takes a balance below zero.
import type { Transaction } from 'kysely';
import { DatabaseError } from '#server/store/errors.ts';
import type { NewRow, Schema } from '#server/store/schema.ts';
import type { RecoveryPolicy } from './engine/operations.ts';
import type { LowBalanceMail } from './engine/rows.ts';
import type { PriceSnapshot } from './price.ts';

export type { LowBalanceMail, RecoveryPolicy };

/** A row of `logs` without its id. The ledger itself writes `created_at`, `request_id` and, for a settled call, `quota`. */
export type LogRow = Omit<NewRow<'logs'>, 'id' | 'created_at' | 'request_id'>;

/** The limits themselves stand in the user's and the token's row; this is what the call asks of them. */
export interface AdmissionLimits {
  /** Estimated tokens, counted against tokens per minute; settling corrects the count to what was used. */
  tokens: number;
}

/** Kept with the hold: a later price change never alters a running call, and recovery can still write the log row. */
export interface HoldSnapshot {
  price: PriceSnapshot;
  /** Asked when the hold gets its row; most calls are over before. */
  log(): LogRow;
}

export interface ReserveRequest {
  requestId: string;
  userId: number;
  /** 0 = playground: no token is checked or charged. */
  tokenId: number;
  amount: number;
  limits: AdmissionLimits;
  snapshot: HoldSnapshot;
  /** Unix seconds; past it the hold is resolved as if its process had died. */
  expiresAt: number;
  /** `task` holds outlive the process that made them (asynchronous upstreams). Default `call`. */
  lifetime?: 'call' | 'task';
}

export type RefusalReason =
  | 'insufficient_user_quota'
  | 'insufficient_token_quota'
  | 'user_unavailable'
  | 'token_unavailable'
  | 'token_expired'
  | 'requests_per_minute'
  | 'tokens_per_minute'
  | 'concurrent_calls'
  | 'day_budget'
  | 'month_budget';

export interface Refusal {
  ok: false;
  reason: RefusalReason;
  /** Whose limit refused the call. */
  subject: 'user' | 'token';
  /** 0 when waiting does not help. */
  retryAfterSeconds: number;
  /** What the user can still spend. */
  balance: number;
}

export type Admission = { ok: true; balance: number } | Refusal;

/** A call whose money has been set aside, in the hands of whoever will end it. */
export interface LedgerCall {
  readonly requestId: string;
}

export type Opening = { ok: true; balance: number; call: LedgerCall } | Refusal;

/** The last known state of a running call, charged if the process dies before it settles. */
export interface Checkpoint {
  quota: number;
  promptTokens: number;
  completionTokens: number;
  channelId: number;
}

export interface Outcome {
  charge: number;
  channelId: number;
  modelName: string;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  /** 0 when the answer was not streamed. */
  firstTokenMs: number;
  /** Counts the call among the errors of the hour. */
  failed?: boolean;
  /** null when the operator keeps no consumption log: the money moves all the same. */
  log: LogRow | null;
}

export interface Settlement {
  charged: number;
  /** What the user can still spend. */
  balance: number;
  /** What the upstream used beyond hold and balance; booked as the operator's loss. */
  suspense: number;
  /** The call had been settled or released before; this time nothing moved. */
  duplicate: boolean;
}

/** What a refused or failed call leaves in the statistics. */
export interface Failure {
  channelId: number;
  modelName: string;
  useTimeMs: number;
  log?: LogRow;
}

/** `user` and `aff` mean the account of `userId`. */
export type Account =
  | 'user'
  | 'aff'
  | 'world:admin'
  | 'world:redeem'
  | 'world:signup'
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
}

export type TransferResult =
  | { ok: true; duplicate: boolean; quota: number; affQuota: number }
  | { ok: false; reason: 'insufficient_quota' | 'user_missing' | 'over_limit' };

/** What the operator should hear of. */
export type LedgerAlert =
  | { kind: 'suspense'; requestId: string; userId: number; amount: number }
  | {
      kind: 'recovered';
      requestId: string;
      userId: number;
      how: 'released' | 'charged' | 'review';
      charged: number;
    }
  | { kind: 'unavailable'; message: string }
  | { kind: 'available'; replayed: number }
  | { kind: 'fault'; message: string };

export interface LedgerConfiguration {
  lowBalanceMail: LowBalanceMail;
  recoveryPolicy: RecoveryPolicy;
}

export interface Heartbeat {
  readonly everySeconds: number;
  beat(): Promise<void>;
}

export interface Ledger {
  /** Calls whose hold this process has taken and not yet ended for good; tasks are nobody's. */
  readonly openCalls: number;
  /** Sets money aside, most often at once; what it gives names the call from then on. */
  open(request: ReserveRequest): Opening | Promise<Opening>;
  /** The same for those who will know the call by its id only. */
  reserve(request: ReserveRequest): Promise<Admission>;
  /** Makes a running call's hold larger; false when the balance or the token does not allow it. */
  extend(call: LedgerCall | string, moreAmount: number): Promise<boolean>;
  /** Says the call went out, and how far it is. Durable within a quarter of a second; a call that settles first pays nothing. */
  dispatched(call: LedgerCall | string, checkpoint?: Checkpoint): void;
  settle(call: LedgerCall | string, outcome: Outcome): Promise<Settlement>;
  release(call: LedgerCall | string, failure?: Failure): Promise<void>;
  /** Into the user's balance. */
  credit(transfer: Omit<Transfer, 'to'>): Promise<TransferResult>;
  /** Out of the user's balance; never touches what running calls hold. */
  debit(transfer: Omit<Transfer, 'from'>): Promise<TransferResult>;
  /** The same inside a transaction of the caller, for an order, a code or an invite that must change with the balance. */
  transferWithin(transaction: Transaction<Schema>, transfer: Transfer): Promise<TransferResult>;
  /** New mail text, threshold or recovery policy, from the settings. */
  configure(configuration: LedgerConfiguration): Promise<void>;
  /** Resolves holds whose process is gone or whose time is over; a job runs it. Returns how many. */
  recover(): Promise<number>;
  /** Where several nodes can run: must be called so often while this process admits calls. */
  readonly heartbeat: Heartbeat | undefined;
  /** Afterwards the tables show what every running call holds; on SQLite young holds are in memory only. */
  writeHolds(): Promise<void>;
  /** Spendable balance read from the database. */
  balance(userId: number): Promise<number>;
  /** Writes what is pending; running calls are left to recovery. */
  close(): Promise<void>;
}

/** PostgreSQL is away: new calls are refused at once (HTTP 503). `isUnavailable` of the store recognises its code. */
export class LedgerUnavailableError extends DatabaseError {
  override name = 'LedgerUnavailableError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, 'STORE_AWAY', options);
  }
}

/** An amount that is not a whole number of units between 0 and the cap; the edge answers 400. */
export class AmountError extends Error {
  override name = 'AmountError';
}
