// Admission of a call: who may spend, is there enough beyond what other calls hold, do the limits allow it. Either the
// hold is taken in full or nothing changes.
import type { RefusalReason } from '#server/billing/ledger.ts';
import { brokenLimit, countAdmission, hasLimits } from './limits.ts';
import { refusalReasons, type ExtendArgs, type ReserveArgs, type ReserveResult } from './operations.ts';
import type { Rows, Subject, TokenState } from './rows.ts';

/** `node_id` of holds that belong to no process. */
export const taskNode = 'task';
export const reviewNode = 'review';

const tokenEnabled = 1;
const tokenExpired = 3;
const tokenExhausted = 4;

export function reserve(rows: Rows, args: ReserveArgs): ReserveResult {
  const [requestId, userId, tokenId, amount, tokens, expiresAt, snapshot, lifetime] = args;
  const user = rows.user(userId);
  if (user === undefined || !user.isActive) return refuse(0, 'user_unavailable', 'user');
  const balance = user.quota - user.held;
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (tokenId !== 0) {
    if (token === undefined || token.isDeleted || token.userId !== userId) {
      return refuse(balance, 'token_unavailable', 'token');
    }
    const refusal = refuseToken(rows, token, balance, amount);
    if (refusal !== undefined) return refusal;
  }
  if (balance < amount) return refuse(balance, 'insufficient_user_quota', 'user');

  const userLimited = hasLimits(user);
  const tokenLimited = token !== undefined && hasLimits(token);
  const broken =
    (tokenLimited ? brokenLimit(rows, 'token', token, userId, amount, tokens) : undefined) ??
    (userLimited ? brokenLimit(rows, 'user', user, userId, amount, tokens) : undefined);
  if (broken !== undefined) return refuse(balance, broken.reason, broken.subject, broken.retryAfterSeconds);

  const isTask = lifetime === 'task';
  const opened = rows.openHold({
    id: requestId,
    userId,
    tokenId,
    nodeId: isTask ? taskNode : rows.nodeId,
    epoch: isTask ? 0 : rows.epoch,
    amount,
    createdAt: rows.now,
    expiresAt,
    dispatched: false,
    checkpointQuota: 0,
    checkpoint: '',
    snapshot,
  });
  if (!opened) return [balance];
  if (tokenLimited) countAdmission(rows, 'token', token, tokens);
  if (userLimited) countAdmission(rows, 'user', user, tokens);
  if (amount > 0) {
    user.held += amount;
    user.dirty = true;
    if (token !== undefined) {
      token.held += amount;
      token.dirty = true;
    }
  }
  return [balance - amount];
}

function refuseToken(
  rows: Rows,
  token: TokenState,
  balance: number,
  amount: number,
): ReserveResult | undefined {
  if (token.status !== tokenEnabled) return refuse(balance, 'token_unavailable', 'token');
  if (token.expiredTime !== -1 && token.expiredTime <= rows.now) {
    changeStatus(token, tokenExpired);
    return refuse(balance, 'token_expired', 'token', 0, tokenExpired);
  }
  if (token.isUnlimited || (token.remain - token.held >= amount && token.remain > 0)) return undefined;
  const exhausted = exhaust(token);
  return refuse(balance, 'insufficient_token_quota', 'token', 0, exhausted);
}

/** Marks a token that has nothing left; returns the new status or 0. */
export function exhaust(token: TokenState): number {
  if (token.isUnlimited || token.remain > 0 || token.status !== tokenEnabled) return 0;
  changeStatus(token, tokenExhausted);
  return tokenExhausted;
}

function changeStatus(token: TokenState, status: number): void {
  token.status = status;
  token.statusChanged = true;
  token.dirty = true;
}

function refuse(
  balance: number,
  reason: RefusalReason,
  subject: Subject,
  retryAfterSeconds = 0,
  tokenStatus = 0,
): ReserveResult {
  return [
    balance,
    refusalReasons.indexOf(reason),
    subject === 'user' ? 0 : 1,
    retryAfterSeconds,
    tokenStatus,
  ];
}

/** A running call asks for more. A banned user or deleted token gets no more, and so the stream ends with what it paid for. */
export function extend(rows: Rows, args: ExtendArgs): boolean {
  const [requestId, moreAmount] = args;
  const hold = rows.findHold(requestId);
  if (hold === undefined) return false;
  const user = rows.user(hold.userId);
  if (user === undefined || !user.isActive || user.quota - user.held < moreAmount) return false;
  const token = hold.tokenId === 0 ? undefined : rows.token(hold.tokenId);
  if (hold.tokenId !== 0) {
    if (token === undefined || token.isDeleted || token.status !== tokenEnabled) return false;
    if (!token.isUnlimited && token.remain - token.held < moreAmount) return false;
  }
  if (overBudget(rows, 'user', user, moreAmount)) return false;
  if (token !== undefined && overBudget(rows, 'token', token, moreAmount)) return false;
  hold.amount += moreAmount;
  rows.changeHold(hold);
  user.held += moreAmount;
  user.dirty = true;
  if (token !== undefined) {
    token.held += moreAmount;
    token.dirty = true;
  }
  return true;
}

function overBudget(
  rows: Rows,
  subject: Subject,
  row: Parameters<typeof brokenLimit>[2],
  moreAmount: number,
): boolean {
  if (row.dayBudget === 0 && row.monthBudget === 0) return false;
  const budgets = { ...row, requestsPerMinute: 0, tokensPerMinute: 0, concurrentCalls: 0 };
  return brokenLimit(rows, subject, budgets, 0, moreAmount, 0) !== undefined;
}
