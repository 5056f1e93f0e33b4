// How ledger operations cross to the writer thread. Most travel as JSON objects. A settlement, which every call sends, travels
// as a list of values with the longest text beside it, unquoted: that costs half of what an object costs. No other file knows
// the order of the values.
import type { Settlement } from '#server/money/ledger/backend.ts';
import { logValues } from '#server/money/ledger/engine/log-columns.ts';
import type {
  HeldPlan,
  LogRow,
  ReserveResult,
  Settle,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';

/** A hold that was taken on the main thread. */
export interface HoldToWrite {
  requestId: string;
  userId: number;
  tokenId: number;
  amount: number;
  createdAt: number;
  expiresAt: number;
}

/** What the tables show of an admitted call's user and token, if no limit but the balance applies to them. */
export interface TableBalance {
  userFree: number;
  /** null = unlimited. */
  tokenFree: number | null;
  tokenExpiresAt: number;
}

export interface ReserveAnswer {
  result: ReserveResult;
  table: TableBalance | null;
}

type Flag = 0 | 1;
const flag = (value: boolean): Flag => (value ? 1 : 0);

type SettleValues = readonly [
  requestId: string,
  at: number,
  charge: number,
  cost: number | null,
  group: string,
  tokenDifference: number,
  channelId: number,
  modelName: string,
  promptTokens: number,
  completionTokens: number,
  useTimeMs: number,
  firstTokenMs: number,
  errorCount: number,
  hasOwner: Flag,
  ownerUserId: number,
  ownerTokenId: number,
  isHoldInMemory: Flag,
  memoryHeldUser: number,
  memoryHeldToken: number,
  /** -1: not known. */
  held: number,
  log: readonly (string | number)[] | null,
  /** Only for a call that a subscription may pay for. */
  plan?: HeldPlan,
];

export interface SettleMessage {
  values: SettleValues;
  /** The column `other` of the log row. */
  text: string;
}

/** What the main thread knows of the hold of a settlement. */
export type HoldInMemory = Pick<Settle, 'isHoldInMemory' | 'memoryHeld'>;

export function encodeSettle(
  operation: Settlement,
  { isHoldInMemory, memoryHeld }: HoldInMemory,
): SettleMessage {
  const { owner, log } = operation;
  const plan = owner?.plan;
  return {
    values: [
      operation.requestId,
      operation.at,
      operation.charge,
      operation.cost ?? null,
      operation.group ?? '',
      operation.tokenDifference,
      operation.channelId,
      operation.modelName,
      operation.promptTokens,
      operation.completionTokens,
      operation.useTimeMs,
      operation.firstTokenMs,
      operation.errorCount,
      flag(owner !== undefined),
      owner?.userId ?? 0,
      owner?.tokenId ?? 0,
      flag(isHoldInMemory),
      memoryHeld.user,
      memoryHeld.token,
      operation.held ?? -1,
      // Without the last column, which travels as `text`.
      log === null ? null : logValues(log).slice(0, -1),
      ...((plan === undefined ? [] : [plan]) as [HeldPlan?]),
    ],
    text: log?.other ?? '',
  };
}

export function decodeSettle(values: unknown, text: string): Settle {
  const [
    requestId,
    at,
    charge,
    cost,
    group,
    tokenDifference,
    channelId,
    modelName,
    promptTokens,
    completionTokens,
    useTimeMs,
    firstTokenMs,
    errorCount,
    hasOwner,
    userId,
    tokenId,
    isHoldInMemory,
    user,
    token,
    held,
    log,
    plan,
  ] = values as SettleValues;
  return {
    kind: 'settle',
    requestId,
    at,
    charge,
    cost,
    group,
    tokenDifference,
    channelId,
    modelName,
    promptTokens,
    completionTokens,
    useTimeMs,
    firstTokenMs,
    errorCount,
    owner: hasOwner === 1 ? { userId, tokenId, plan } : undefined,
    isHoldInMemory: isHoldInMemory === 1,
    memoryHeld: { user, token },
    held: held < 0 ? undefined : held,
    log: log === null ? null : decodeLog(log, text),
  };
}

/** The counterpart of `logValues`. */
function decodeLog(values: readonly (string | number)[], other: string): LogRow {
  const [
    type,
    user_id,
    username,
    token_id,
    token_name,
    model_name,
    upstream_model,
    channel_id,
    channel_name,
    group,
    prompt_tokens,
    completion_tokens,
    use_time,
    is_stream,
    estimated,
    ip,
    content,
  ] = values;
  return {
    type,
    user_id,
    username,
    token_id,
    token_name,
    model_name,
    upstream_model,
    channel_id,
    channel_name,
    group,
    prompt_tokens,
    completion_tokens,
    use_time,
    is_stream,
    estimated,
    ip,
    content,
    other,
  } as LogRow;
}

export type SettleResultValues = readonly [
  charged: number,
  balance: number,
  suspense: number,
  aboveHold: number,
  duplicate: Flag,
  hadHold: Flag,
  tokenStatus: number,
];

export function encodeSettleResult(result: SettleResult): SettleResultValues {
  const { charged, balance, suspense, aboveHold, tokenStatus } = result;
  return [charged, balance, suspense, aboveHold, flag(result.duplicate), flag(result.hadHold), tokenStatus];
}

export function decodeSettleResult(values: SettleResultValues): SettleResult {
  const [charged, balance, suspense, aboveHold, duplicate, hadHold, tokenStatus] = values;
  return {
    charged,
    balance,
    suspense,
    aboveHold,
    duplicate: duplicate === 1,
    hadHold: hadHold === 1,
    tokenStatus,
  };
}
