// The end of a call. Taking the hold decides: the first operation that takes it moves the money, a later one finds no hold.
// Balance, token, channel, ledger, log and hourly figures change in one transaction.
import { correctTokens } from './limits.ts';
import {
  duplicateSettlement,
  type HoldOwner,
  type NoteProgress,
  type Release,
  type Settle,
  type SettleResult,
} from './operations.ts';
import { exhaust, freeOfUser } from './reserve.ts';
import type { BookedEntry, Rows, TakenHold, TokenState, UserState } from './rows.ts';

const lowBalanceMailSeconds = 2 * 3600;

/** Reference of the ledger entry of a charge: says whether the charge has a log row, so that audits expect one. */
export const loggedReference = 'logged';
export const unloggedReference = 'unlogged';
export const recoveredReference = 'recovered';

/** Under which key, to whom and how much of a settlement is charged. */
interface ChargeTerms extends HoldOwner {
  idem: string;
  at: number;
  amount: number;
  reference: string;
  /** 0 when the call was counted before. */
  requests: number;
  hadHold: boolean;
}

export function settle(rows: Rows, operation: Settle): SettleResult {
  const hold = takeHold(rows, operation);
  if (hold !== undefined) return settleHold(rows, hold, operation, referenceOf(operation));
  const booked = rows.booked(operation.requestId);
  if (operation.owner === undefined) return duplicateSettlement(booked?.amount ?? 0);
  return settleWithoutHold(rows, operation, operation.owner, booked);
}

/** The tables do not count a hold that was in memory, so its row amount is 0. */
function takeHold(rows: Rows, { requestId, owner, isHoldInMemory }: Settle): TakenHold | undefined {
  if (!isHoldInMemory || owner === undefined) return rows.takeHold(requestId);
  return { id: requestId, ...owner, amount: 0, createdAt: rows.now };
}

const referenceOf = ({ log }: Settle) => (log === null ? unloggedReference : loggedReference);
const timeOf = (rows: Rows, at: number) => (at === 0 ? rows.now : at);

/** Moves the money of a hold that has been taken. */
export function settleHold(rows: Rows, hold: TakenHold, operation: Settle, reference: string): SettleResult {
  endHold(rows, hold, operation.tokenDifference);
  const { userId, tokenId } = hold;
  const { requestId, charge: amount } = operation;
  const at = timeOf(rows, operation.at);
  const terms = { idem: requestId, at, userId, tokenId, amount, reference, requests: 1, hadHold: true };
  return charge(rows, operation, terms);
}

/**
 * The settlement of a call whose hold is gone: another node resolved it while the database was away, or a crash of the
 * database took it. The difference to what was booked is charged or given back under a key of its own, so that the caller
 * pays what the settlement says.
 */
function settleWithoutHold(
  rows: Rows,
  operation: Settle,
  { userId, tokenId }: HoldOwner,
  booked: BookedEntry | undefined,
): SettleResult {
  const { requestId, charge: asked } = operation;
  const at = timeOf(rows, operation.at);
  const terms = { at, userId, tokenId, reference: referenceOf(operation), hadHold: false };
  if (booked === undefined)
    return charge(rows, operation, { ...terms, idem: requestId, amount: asked, requests: 1 });
  const idem = `${requestId}:late`;
  if (booked.reference !== recoveredReference || rows.booked(idem) !== undefined)
    return duplicateSettlement(booked.amount);
  if (asked < booked.amount) return giveBack(rows, operation, { ...terms, idem }, booked.amount - asked);
  return charge(rows, operation, { ...terms, idem, amount: asked - booked.amount, requests: 0 });
}

/**
 * Takes the charge from the balance. Beyond this call's own hold only free balance is taken, never what other calls hold;
 * what is missing is booked to suspense. The token's quota is a limit: it stops at zero while the user pays in full.
 */
function charge(rows: Rows, operation: Settle, terms: ChargeTerms): SettleResult {
  const { idem, at, userId, tokenId, reference, requests } = terms;
  const { channelId, memoryHeld } = operation;
  const user = rows.user(userId);
  const free = user === undefined ? 0 : Math.max(0, freeOfUser(user, memoryHeld));
  const charged = Math.min(terms.amount, free);
  const suspense = terms.amount - charged;
  if (user !== undefined) chargeUser(rows, user, charged, terms);
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  const tokenStatus = token === undefined ? 0 : chargeToken(token, charged, at);
  const credit = 'revenue';
  if (charged > 0) {
    const debit = `user:${userId}`;
    rows.book({ idem, userId, debit, credit, amount: charged, kind: 'use', reference, at });
    if (channelId > 0) rows.countChannel(channelId, charged);
  }
  if (suspense > 0) {
    const entry = { userId, debit: 'suspense', credit, amount: suspense, kind: 'suspense', at };
    rows.book({ ...entry, idem: `${idem}:suspense`, reference: idem });
  }
  if (operation.log !== null) rows.log({ at, requestId: idem, quota: charged, row: operation.log });
  rows.countUsage({
    at,
    userId,
    tokenId,
    channelId,
    modelName: operation.modelName,
    count: requests,
    quota: charged,
    promptTokens: operation.promptTokens,
    completionTokens: operation.completionTokens,
    errorCount: operation.errorCount,
    useTimeMs: operation.useTimeMs,
    firstTokenMs: operation.firstTokenMs,
  });
  const balance = user === undefined ? -1 : freeOfUser(user, memoryHeld);
  return { charged, balance, suspense, duplicate: false, hadHold: terms.hadHold, tokenStatus };
}

function chargeUser(rows: Rows, user: UserState, charged: number, { at, requests }: ChargeTerms): void {
  const before = user.quota;
  user.quota -= charged;
  user.used += charged;
  user.requestCount += requests;
  user.dirty = true;
  if (charged > 0) remindOfLowBalance(rows, user, before, at);
}

/** Returns the new status of the token or 0. */
function chargeToken(token: TokenState, charged: number, at: number): number {
  if (!token.isUnlimited) token.remain = Math.max(0, token.remain - charged);
  token.used += charged;
  token.accessedTime = Math.max(token.accessedTime, at);
  token.dirty = true;
  return exhaust(token);
}

export function release(rows: Rows, operation: Release): boolean {
  const { requestId, tokenDifference, failure, memoryOwner } = operation;
  const hold =
    memoryOwner === undefined
      ? rows.takeHold(requestId)
      : { id: requestId, ...memoryOwner, amount: 0, createdAt: rows.now };
  if (hold === undefined) return false;
  endHold(rows, hold, tokenDifference);
  if (failure === undefined) return true;
  const at = timeOf(rows, operation.at);
  rows.countUsage({
    at,
    userId: hold.userId,
    tokenId: hold.tokenId,
    channelId: failure.channelId,
    modelName: failure.modelName,
    count: 0,
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    errorCount: 1,
    useTimeMs: failure.useTimeMs,
    firstTokenMs: 0,
  });
  if (failure.log !== null) rows.log({ at, requestId, quota: 0, row: failure.log });
  return true;
}

/** Gives the held amount back and corrects the tokens counted at admission. */
export function endHold(rows: Rows, hold: TakenHold, tokenDifference: number): void {
  const user = rows.user(hold.userId);
  if (user !== undefined) {
    user.held = Math.max(0, user.held - hold.amount);
    user.dirty = true;
    correctTokens(rows, 'user', user, hold.createdAt, tokenDifference);
  }
  const token = hold.tokenId === 0 ? undefined : rows.token(hold.tokenId);
  if (token !== undefined) {
    token.held = Math.max(0, token.held - hold.amount);
    token.dirty = true;
    correctTokens(rows, 'token', token, hold.createdAt, tokenDifference);
  }
}

/** A call that settled meanwhile has no hold: then nothing is written. */
export function noteProgress(rows: Rows, { requestId, checkpoint, snapshot }: NoteProgress): null {
  const hold = rows.findHold(requestId);
  if (hold === undefined) return null;
  rows.changeHold({
    ...hold,
    dispatched: true,
    checkpointQuota: Math.max(hold.checkpointQuota, checkpoint?.quota ?? 0),
    checkpoint: checkpoint === undefined ? hold.checkpoint : JSON.stringify(checkpoint),
    snapshot: hold.snapshot === '' ? snapshot : hold.snapshot,
  });
  return null;
}

function giveBack(
  rows: Rows,
  { requestId, charge: asked }: Settle,
  { idem, userId, tokenId }: Omit<ChargeTerms, 'amount' | 'requests'>,
  amount: number,
): SettleResult {
  const user = rows.user(userId);
  if (user === undefined) return duplicateSettlement(asked);
  user.quota += amount;
  user.used = Math.max(0, user.used - amount);
  user.dirty = true;
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (token !== undefined) {
    if (!token.isUnlimited) token.remain += amount;
    token.used = Math.max(0, token.used - amount);
    token.dirty = true;
  }
  const entry = { debit: 'revenue', credit: `user:${userId}`, amount, kind: 'refund', reference: requestId };
  rows.book({ idem, userId, at: rows.now, ...entry });
  const balance = user.quota - user.held;
  return { charged: asked, balance, suspense: 0, duplicate: false, hadHold: false, tokenStatus: 0 };
}

/** Queues one mail when the balance falls through the threshold or reaches zero, at most one in two hours. */
function remindOfLowBalance(rows: Rows, user: UserState, before: number, at: number): void {
  const { threshold, subject, body, quotaPerUnit } = rows.lowBalanceMail;
  const crossed = (before > threshold && user.quota <= threshold) || (before > 0 && user.quota === 0);
  if (!crossed || subject === '' || user.email === '' || at - user.lowBalanceMailAt < lowBalanceMailSeconds)
    return;
  user.lowBalanceMailAt = at;
  const balance = `$${(user.quota / quotaPerUnit).toFixed(6)}`;
  rows.mail({
    recipient: user.email,
    subject,
    body: body.replaceAll('{username}', user.username).replaceAll('{balance}', balance),
    dedupeKey: `low-balance:${user.id}:${at}`,
  });
}
