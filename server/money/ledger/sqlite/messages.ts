// How ledger operations cross to the writer thread. Most travel as JSON objects. A settlement, which every call sends, travels
// as lists of values with the longest text beside them, unquoted: that costs half of what an object costs. No other file knows
// the order of the values.
import type { Settlement } from '#server/money/ledger/backend.ts';
import { logRowOf, logValues } from '#server/money/ledger/engine/log-columns.ts';
import type { HoldOwner, MemoryHeld, ReserveResult, Settle } from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { SliceSize } from '#server/money/ledger/slices.ts';

/** A hold that was taken on the main thread. */
export type HoldToWrite = Pick<
  RunningCall,
  'requestId' | 'userId' | 'tokenId' | 'amount' | 'createdAt' | 'expiresAt' | 'budgets'
>;

export function holdToWrite(call: HoldToWrite): HoldToWrite {
  const { requestId, userId, tokenId, amount, createdAt, expiresAt, budgets } = call;
  return { requestId, userId, tokenId, amount, createdAt, expiresAt, budgets };
}

export interface ReserveAnswer {
  result: ReserveResult;
  /** What the tables show of an admitted call's user and token; null when more than the balance limits them. */
  size: SliceSize | null;
}

/** What the main thread knows of the hold of a settlement. */
export interface HoldInMemory {
  isInSlice: boolean;
  memoryHeld: MemoryHeld;
}

type SettleValues = ReturnType<typeof encodeSettle>['values'];

/** Of a settlement by code that did not open the call. */
const NOBODY: HoldOwner = { userId: -1, tokenId: 0 };

export function encodeSettle(settlement: Settlement, { isInSlice, memoryHeld }: HoldInMemory) {
  const { requestId, at, charge, cost = null, group = '', tokenDifference } = settlement;
  const { channelId, modelName, promptTokens, completionTokens, log, held = -1 } = settlement;
  const { useTimeMs, firstTokenMs, errorCount } = settlement;
  const { userId, tokenId, plan = null, budgets = '' } = settlement.owner ?? NOBODY;
  const { user, token, budgets: heldBudgets = null } = memoryHeld;
  const call = [requestId, at, charge, cost, group, tokenDifference, channelId, modelName] as const;
  const used = [promptTokens, completionTokens, useTimeMs, firstTokenMs, errorCount] as const;
  const hold = [userId, tokenId, plan, budgets, isInSlice, held, user, token, heldBudgets] as const;
  const values = [call, used, hold, log === null ? null : logValues(log, '')] as const;
  return { values, text: log?.other ?? '' };
}

export function decodeSettle(values: unknown, other: string): Settle {
  const [call, used, hold, log] = values as SettleValues;
  const [requestId, at, charge, cost, group, tokenDifference, channelId, modelName] = call;
  const [promptTokens, completionTokens, useTimeMs, firstTokenMs, errorCount] = used;
  const [userId, tokenId, plan, budgets, isInSlice, held, user, token, heldBudgets] = hold;
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
    log: log === null ? null : logRowOf(log, other),
    owner: userId < 0 ? undefined : { userId, tokenId, plan: plan ?? undefined, budgets },
    held: held < 0 ? undefined : held,
    memoryHeld: { user, token, budgets: heldBudgets ?? undefined },
    slice: isInSlice ? { id: '', amount: Math.max(0, held) } : undefined,
  };
}
