// The end of a call. Taking the hold decides: whoever gets it moves the money, everyone after finds nothing to do.
// Balance, token, channel, ledger, log and hourly figures change together or not at all.
import { correctTokens } from './limits.ts';
import type { CheckpointArgs, LateSettleArgs, ReleaseArgs, SettleArgs, SettleResult } from './operations.ts';
import { exhaust } from './reserve.ts';
import type { Rows, TakenHold, UserState } from './rows.ts';

const lowBalanceMailSeconds = 2 * 3600;

/** Booked on the ledger entry of a charge that has a log row, so that audits know when to expect one. */
export const loggedReference = 'logged';
export const unloggedReference = 'unlogged';
export const recoveredReference = 'recovered';

export function settle(rows: Rows, args: SettleArgs): SettleResult {
  const hold = rows.takeHold(args[0]);
  if (hold === undefined) return [rows.booked(args[0])?.amount ?? 0, -1, 0, 1, 0];
  return settleHold(rows, hold, args, args[11] === null ? unloggedReference : loggedReference);
}

/** Moves the money of a hold that has been taken. */
export function settleHold(rows: Rows, hold: TakenHold, args: SettleArgs, reference: string): SettleResult {
  const at = args[1] === 0 ? rows.now : args[1];
  const user = rows.user(hold.userId);
  const token = hold.tokenId === 0 ? undefined : rows.token(hold.tokenId);
  if (user !== undefined) {
    user.held = Math.max(0, user.held - hold.amount);
    user.dirty = true;
    correctTokens(rows, 'user', user, hold.createdAt, args[3]);
  }
  if (token !== undefined) {
    token.held = Math.max(0, token.held - hold.amount);
    token.dirty = true;
    correctTokens(rows, 'token', token, hold.createdAt, args[3]);
  }
  return charge(rows, args[0], at, hold.userId, hold.tokenId, args, reference, 1);
}

/**
 * Takes the charge from the balance. Other calls' holds are theirs: beyond this call's own hold only free balance is
 * taken, and what is still missing is booked to suspense. The token's quota is a limit, so it stops at zero while the
 * user pays for all that was used.
 */
function charge(
  rows: Rows,
  idem: string,
  at: number,
  userId: number,
  tokenId: number,
  args: SettleArgs,
  reference: string,
  count: number,
): SettleResult {
  const [
    ,
    ,
    asked,
    ,
    channelId,
    modelName,
    promptTokens,
    completionTokens,
    useTimeMs,
    firstTokenMs,
    errorCount,
    log,
  ] = args;
  const user = rows.user(userId);
  const free = user === undefined ? 0 : Math.max(0, user.quota - user.held);
  const charged = Math.min(asked, free);
  const suspense = asked - charged;
  let tokenStatus = 0;
  if (user !== undefined) {
    const before = user.quota;
    user.quota -= charged;
    user.used += charged;
    user.requestCount += count;
    user.dirty = true;
    if (charged > 0) remindOfLowBalance(rows, user, before, at);
  }
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (token !== undefined) {
    if (!token.isUnlimited) token.remain = Math.max(0, token.remain - charged);
    token.used += charged;
    token.accessedTime = Math.max(token.accessedTime, at);
    token.dirty = true;
    tokenStatus = exhaust(token);
  }
  const account = `user:${userId}`;
  if (charged > 0) {
    rows.book({
      idem,
      userId,
      debit: account,
      credit: 'revenue',
      amount: charged,
      kind: 'use',
      reference,
      at,
    });
    if (channelId > 0) rows.countChannel(channelId, charged);
  }
  if (suspense > 0) {
    const entry = {
      debit: 'suspense',
      credit: 'revenue',
      amount: suspense,
      kind: 'suspense',
      reference: idem,
    };
    rows.book({ idem: `${idem}:suspense`, userId, at, ...entry });
  }
  if (log !== null) rows.log(at, idem, log, charged);
  rows.countUsage({
    at,
    userId,
    tokenId,
    channelId,
    modelName,
    count,
    quota: charged,
    promptTokens,
    completionTokens,
    errorCount,
    useTimeMs,
    firstTokenMs,
  });
  return [charged, user === undefined ? -1 : user.quota - user.held, suspense, 0, tokenStatus];
}

export function release(rows: Rows, args: ReleaseArgs): boolean {
  const [requestId, at, tokenDifference, failure] = args;
  const hold = rows.takeHold(requestId);
  if (hold === undefined) return false;
  releaseHold(rows, hold, tokenDifference);
  if (failure !== null) {
    const [channelId, modelName, useTimeMs, log] = failure;
    const when = at === 0 ? rows.now : at;
    rows.countUsage({
      at: when,
      userId: hold.userId,
      tokenId: hold.tokenId,
      channelId,
      modelName,
      count: 0,
      quota: 0,
      promptTokens: 0,
      completionTokens: 0,
      errorCount: 1,
      useTimeMs,
      firstTokenMs: 0,
    });
    if (log !== null) rows.log(when, requestId, log, 0);
  }
  return true;
}

export function releaseHold(rows: Rows, hold: TakenHold, tokenDifference: number): void {
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

/** A call that settled meanwhile has no hold any more, and then there is nothing to note. */
export function checkpoint(rows: Rows, args: CheckpointArgs): null {
  const [requestId, quota, text, snapshot] = args;
  const hold = rows.findHold(requestId);
  if (hold === undefined) return null;
  hold.dispatched = true;
  hold.checkpointQuota = Math.max(hold.checkpointQuota, quota);
  if (text !== '') hold.checkpoint = text;
  if (hold.snapshot === '') hold.snapshot = snapshot;
  rows.changeHold(hold);
  return null;
}

/**
 * The settlement of a call whose client has seen the end while the database was away. If its hold is still there this is
 * an ordinary settlement. If another node resolved the hold meanwhile, the difference to what that node booked is
 * charged or given back under a key of its own, so that the client pays exactly what it was told.
 */
export function lateSettle(rows: Rows, args: LateSettleArgs): SettleResult {
  const [userId, tokenId, ...settleArgs] = args;
  const [requestId, at, asked] = settleArgs;
  const hold = rows.takeHold(requestId);
  if (hold !== undefined) {
    return settleHold(rows, hold, settleArgs, settleArgs[11] === null ? unloggedReference : loggedReference);
  }
  const before = rows.booked(requestId);
  const reference = settleArgs[11] === null ? unloggedReference : loggedReference;
  const when = at === 0 ? rows.now : at;
  if (before === undefined) return charge(rows, requestId, when, userId, tokenId, settleArgs, reference, 1);
  const lateIdem = `${requestId}:late`;
  if (before.reference !== recoveredReference || rows.booked(lateIdem) !== undefined) {
    return [before.amount, -1, 0, 1, 0];
  }
  if (asked >= before.amount) {
    const rest = [...settleArgs] as [...SettleArgs];
    rest[2] = asked - before.amount;
    return charge(rows, lateIdem, when, userId, tokenId, rest, reference, 0);
  }
  return giveBack(rows, lateIdem, requestId, userId, tokenId, before.amount - asked, asked);
}

function giveBack(
  rows: Rows,
  idem: string,
  requestId: string,
  userId: number,
  tokenId: number,
  amount: number,
  asked: number,
): SettleResult {
  const user = rows.user(userId);
  if (user === undefined) return [asked, -1, 0, 1, 0];
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
  return [asked, user.quota - user.held, 0, 0, 0];
}

/** Queues one mail when the balance falls through the threshold or reaches zero, at most one in two hours. */
function remindOfLowBalance(rows: Rows, user: UserState, before: number, at: number): void {
  const { threshold, subject, body, quotaPerUnit } = rows.lowBalanceMail;
  const crossed = (before > threshold && user.quota <= threshold) || (before > 0 && user.quota === 0);
  if (!crossed || subject === '' || user.email === '' || at - user.lowBalanceMailAt < lowBalanceMailSeconds)
    return;
  user.lowBalanceMailAt = at;
  const balance = `$${(user.quota / quotaPerUnit).toFixed(6)}`;
  const text = body.replaceAll('{username}', user.username).replaceAll('{balance}', balance);
  rows.mail(user.email, subject, text, `low-balance:${user.id}:${at}`);
}
