// The operations as flat lists: they cross to the writer thread as one JSON text and lie in the spool as one line each.
import type { LogRow, RefusalReason } from '#server/billing/ledger.ts';

/** Columns of a log row in the order both databases write them, after created_at, request_id and quota. */
export const logColumns = [
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'upstream_model',
  'channel_id',
  'channel_name',
  'group',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'estimated',
  'ip',
  'content',
  'other',
] as const satisfies readonly (keyof LogRow)[];

export type LogFields = readonly (string | number)[];

export function logFields(row: LogRow): LogFields {
  return [
    row.type ?? 2,
    row.user_id ?? 0,
    row.username ?? '',
    row.token_id ?? 0,
    row.token_name ?? '',
    row.model_name ?? '',
    row.upstream_model ?? '',
    row.channel_id ?? 0,
    row.channel_name ?? '',
    row.group ?? '',
    row.prompt_tokens ?? 0,
    row.completion_tokens ?? 0,
    row.use_time ?? 0,
    row.is_stream ?? 0,
    row.estimated ?? 0,
    row.ip ?? '',
    row.content ?? '',
    row.other ?? '',
  ];
}

export type Lifetime = 'call' | 'task';

export type ReserveArgs = readonly [
  requestId: string,
  userId: number,
  tokenId: number,
  amount: number,
  tokens: number,
  expiresAt: number,
  snapshot: string,
  lifetime: Lifetime,
];

export type ExtendArgs = readonly [requestId: string, moreAmount: number];

/** `snapshot`: what a hold that has no row yet is to be written with; empty when it has one. */
export type CheckpointArgs = readonly [
  requestId: string,
  quota: number,
  checkpoint: string,
  snapshot: string,
];

export type SettleArgs = readonly [
  requestId: string,
  /** Unix seconds when the call ended, 0 = now. Only a replayed call has another time. */
  at: number,
  charge: number,
  /** Used tokens minus the tokens counted at admission. */
  tokenDifference: number,
  channelId: number,
  modelName: string,
  promptTokens: number,
  completionTokens: number,
  useTimeMs: number,
  firstTokenMs: number,
  errorCount: number,
  log: LogFields | null,
];

export type ReleaseArgs = readonly [
  requestId: string,
  at: number,
  tokenDifference: number,
  failure: readonly [channelId: number, modelName: string, useTimeMs: number, log: LogFields | null] | null,
];

/** A settlement whose answer never came and whose hold may have been resolved by another node meanwhile. */
export type LateSettleArgs = readonly [userId: number, tokenId: number, ...settle: SettleArgs];

export type RecoveryPolicy = 'checkpoint' | 'full' | 'review';
export type RecoverArgs = readonly [requestId: string, policy: RecoveryPolicy];

export const refusalReasons: readonly RefusalReason[] = [
  'insufficient_user_quota',
  'insufficient_token_quota',
  'user_unavailable',
  'token_unavailable',
  'token_expired',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
  'day_budget',
  'month_budget',
];

/** Admitted: `[balance]`. Refused: `[balance, reason index, 0 user | 1 token, retry after seconds, new token status or 0]`. */
export type ReserveResult = readonly number[];
/** `[charged, balance, suspense, 1 = duplicate, new token status or 0]`; the balance is -1 when the user is gone. */
export type SettleResult = readonly [number, number, number, number, number];

export interface Operations {
  reserve: { args: ReserveArgs; result: ReserveResult };
  extend: { args: ExtendArgs; result: boolean };
  checkpoint: { args: CheckpointArgs; result: null };
  settle: { args: SettleArgs; result: SettleResult };
  release: { args: ReleaseArgs; result: boolean };
  lateSettle: { args: LateSettleArgs; result: SettleResult };
  recover: { args: RecoverArgs; result: RecoverResult };
}
export type OperationName = keyof Operations;

/** What became of the hold, the amount charged, and whom it belonged to. */
export type RecoverResult = readonly [
  'gone' | 'released' | 'charged' | 'review',
  charged: number,
  userId: number,
];
