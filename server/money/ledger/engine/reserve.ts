// Admission of a call: the user and the token may spend, the balance covers the amount beyond what other calls hold, and no
// limit is broken. A call that can use a smaller hold gets what there is, if that is at least its `least`; otherwise the
// hold is taken in full or nothing changes.
import {
  countersOf,
  exceededCounter,
  holdOfCounters,
  leftOfCounter,
  leftOfCounters,
  noteRefusal,
  secondsLeft,
  type Counted,
} from './budgets.ts';
import { brokenBudget, brokenLimit, countAdmission, hasLimits, leftOfBudgets } from './limits.ts';
import type {
  Extend,
  ExtendResult,
  MemoryHeld,
  RefusalReason,
  Reserve,
  ReserveResult,
  Shortage,
  Subject,
} from './operations.ts';
import type { HoldState, Rows, SubscriptionState, TokenState, UserState } from './rows.ts';
import { split } from './split.ts';
import { availableIn, choosePlan, freeOfSubscription, NO_PLAN, pocketOf } from './subscriptions.ts';

/** `node_id` of holds that belong to no process. */
export const TASK_NODE = 'task';
export const REVIEW_NODE = 'review';

export const TOKEN_ENABLED = 1;
const TOKEN_EXPIRED = 3;
export const TOKEN_EXHAUSTED = 4;

/** What the user can still spend. */
export function freeOfUser(user: UserState, memoryHeld: MemoryHeld): number {
  return user.quota - user.held - memoryHeld.user;
}

export function freeOfToken(token: TokenState, memoryHeld: MemoryHeld): number {
  return token.remain - token.held - memoryHeld.token;
}

function tokenLeft(token: TokenState, memoryHeld: MemoryHeld): number {
  return token.isUnlimited ? Number.POSITIVE_INFINITY : freeOfToken(token, memoryHeld);
}

export function reserve(rows: Rows, operation: Reserve): ReserveResult {
  const { requestId, userId, tokenId, tokens, memoryHeld } = operation;
  const least = operation.least ?? operation.amount;
  const user = rows.user(userId);
  if (user === undefined || !user.isActive) return refusal(0, 'user_unavailable', 'user');
  const balance = freeOfUser(user, memoryHeld);
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (tokenId !== 0) {
    if (token === undefined || token.isDeleted || token.userId !== userId) {
      return refusal(balance, 'token_unavailable', 'token');
    }
    const refused = refuseToken(rows, user, token, { least, memoryHeld });
    if (refused !== undefined) return refused;
  }
  const { plans } = operation;
  const subscription = plans === undefined ? undefined : choosePlan(rows, userId, plans);
  if (plans?.isRequired === true && subscription === undefined) return refusal(balance, 'plan_empty', 'user');
  const payable =
    subscription === undefined ? balance : freeOfSubscription(subscription) + Math.max(0, balance);
  if (payable < least)
    return {
      ...refusal(balance, 'insufficient_user_quota', 'user'),
      ...shortageOf(user, least - payable, user.held),
      available: Math.max(0, payable),
    };

  const userLimited = hasLimits(user);
  const tokenLimited = token !== undefined && hasLimits(token);
  const demand = { userId, tokens, amount: least };
  const broken =
    (tokenLimited ? brokenLimit(rows, 'token', token, demand) : undefined) ??
    (userLimited ? brokenLimit(rows, 'user', user, demand) : undefined);
  if (broken !== undefined) return { ok: false, balance, tokenStatus: 0, ...broken };
  const { budgets = '' } = operation;
  const counters = countersOf(rows, budgets, memoryHeld);
  const exceeded = exceededCounter(counters, least);
  if (exceeded !== undefined) return refuseForBudget(rows, user, exceeded, { balance, least });

  const amount = Math.min(
    operation.amount,
    payable,
    token === undefined ? Number.POSITIVE_INFINITY : tokenLeft(token, memoryHeld),
    tokenLimited ? leftOfBudgets(rows, 'token', token) : Number.POSITIVE_INFINITY,
    userLimited ? leftOfBudgets(rows, 'user', user) : Number.POSITIVE_INFINITY,
    leftOfCounters(counters),
  );
  const { expiresAt, snapshot } = operation;
  const hold = emptyHold(rows, { id: requestId, userId, tokenId, amount, expiresAt });
  hold.snapshot = snapshot;
  hold.budgets = budgets;
  if (operation.lifetime === 'task') Object.assign(hold, { nodeId: TASK_NODE, epoch: 0 });
  if (subscription !== undefined) {
    const isPlanFirst = plans?.isPlanFirst === true;
    const pockets = { plan: freeOfSubscription(subscription), wallet: Math.max(0, balance), isPlanFirst };
    const { id: subscriptionId, period: planPeriod } = subscription;
    Object.assign(hold, { subscriptionId, planPeriod, isPlanFirst, planAmount: split(amount, pockets).plan });
  }
  if (!rows.openHold(hold)) return admitted(balance, rows.findHold(requestId) ?? hold);
  if (tokenLimited) countAdmission(rows, 'token', token, tokens);
  if (userLimited) countAdmission(rows, 'user', user, tokens);
  addHeld(user, token, amount - hold.planAmount, hold.planAmount);
  holdOfCounters(counters, amount);
  if (subscription !== undefined) holdOf(subscription, hold.planAmount);
  return admitted(balance - (amount - hold.planAmount), hold);
}

/** The notice waits as long as slices that come back may cover the call. */
function refuseForBudget(
  rows: Rows,
  user: UserState,
  exceeded: Counted,
  { balance, least }: { balance: number; least: number },
): ReserveResult {
  const { counter } = exceeded;
  const left = leftOfCounter(exceeded);
  const { shortage } = shortageOf(user, least - left, counter.held);
  if (shortage?.isCoverable !== true) noteRefusal(rows, counter);
  return {
    ...refusal(balance, 'organization_budget', 'user'),
    ...(shortage === undefined ? {} : { shortage }),
    available: Math.max(0, left),
    retryAfterSeconds: secondsLeft(counter, rows.now),
    counterId: counter.id,
  };
}

const UNTOUCHED = {
  dispatched: false,
  checkpointQuota: 0,
  checkpoint: '',
  snapshot: '',
  ...NO_PLAN,
} as const;

/** Of a call that has not been sent. */
export function emptyHold(
  { nodeId, epoch, now }: Rows,
  hold: Pick<HoldState, 'id' | 'userId' | 'tokenId' | 'amount' | 'expiresAt'> & {
    budgets?: string | undefined;
  },
): HoldState {
  const { id, userId, tokenId, amount, expiresAt, budgets = '' } = hold;
  // Spread first: copying into an object that has members already costs several times as much.
  return { ...UNTOUCHED, id, userId, tokenId, amount, expiresAt, budgets, nodeId, epoch, createdAt: now };
}

function admitted(balance: number, hold: HoldState): ReserveResult {
  const { amount, subscriptionId, planPeriod, isPlanFirst } = hold;
  if (subscriptionId === 0) return { ok: true, balance, amount };
  return { ok: true, balance, amount, plan: { subscriptionId, planPeriod, isPlanFirst } };
}

function holdOf(subscription: SubscriptionState, amount: number): void {
  if (amount === 0) return;
  subscription.held += amount;
  subscription.dirty = true;
}

/** The token's limit counts both parts. */
export function addHeld(
  user: UserState | undefined,
  token: TokenState | undefined,
  wallet: number,
  plan: number,
): void {
  if (wallet === 0 && plan === 0) return;
  if (user !== undefined) {
    user.held += wallet;
    user.dirty = true;
    if (plan !== 0) {
      user.planHeld += plan;
      user.isPlanHeldChanged = true;
    }
  }
  if (token !== undefined) {
    token.held += wallet + plan;
    token.dirty = true;
  }
}

function refuseToken(
  rows: Rows,
  user: UserState,
  token: TokenState,
  { least, memoryHeld }: { least: number; memoryHeld: MemoryHeld },
): ReserveResult | undefined {
  const balance = freeOfUser(user, memoryHeld);
  if (token.status !== TOKEN_ENABLED) return refusal(balance, 'token_unavailable', 'token');
  if (token.expiredTime !== -1 && token.expiredTime <= rows.now) {
    changeStatus(token, TOKEN_EXPIRED);
    return refusal(balance, 'token_expired', 'token', TOKEN_EXPIRED);
  }
  const left = tokenLeft(token, memoryHeld);
  if (token.isUnlimited || (left >= least && token.remain > 0)) return undefined;
  return {
    ...refusal(balance, 'insufficient_token_quota', 'token', exhaust(token)),
    ...shortageOf(user, least - left, token.held),
    available: Math.max(0, left),
  };
}

/** `held`: what may come back without a charge. */
function shortageOf(user: UserState, missing: number, held: number): { shortage?: Shortage } {
  if (held <= 0) return {};
  return { shortage: { userId: user.id, held: user.held, isCoverable: missing <= held } };
}

/** Marks a token that has nothing left; returns the new status or 0. */
export function exhaust(token: TokenState): number {
  if (token.isUnlimited || token.remain > 0 || token.status !== TOKEN_ENABLED) return 0;
  changeStatus(token, TOKEN_EXHAUSTED);
  return TOKEN_EXHAUSTED;
}

/** Enables a token that had nothing left and got some of it back; returns the new status or 0. */
export function refill(token: TokenState): number {
  if (token.status !== TOKEN_EXHAUSTED || token.remain === 0) return 0;
  changeStatus(token, TOKEN_ENABLED);
  return TOKEN_ENABLED;
}

function changeStatus(token: TokenState, status: number): void {
  token.status = status;
  token.statusChanged = true;
  token.dirty = true;
}

type RefusedResult = Extract<ReserveResult, { ok: false }>;

function refusal(balance: number, reason: RefusalReason, subject: Subject, tokenStatus = 0): RefusedResult {
  return { ok: false, balance, available: 0, reason, subject, retryAfterSeconds: 0, tokenStatus };
}

/** A running call takes more. Refused for a banned user or a deleted token: the stream ends and pays for what it delivered. */
export function extend(rows: Rows, operation: Extend): ExtendResult {
  const { requestId, moreAmount, memoryHeld } = operation;
  const hold = rows.findHold(requestId);
  if (hold === undefined) return REFUSED;
  const user = rows.user(hold.userId);
  if (user === undefined || !user.isActive) return REFUSED;
  const pocket = pocketOf(rows, hold, 0);
  const free = Math.max(0, freeOfUser(user, memoryHeld));
  const { isPlanFirst } = hold;
  const parts = split(moreAmount, { plan: availableIn(pocket), wallet: free, isPlanFirst });
  if (parts.missing > 0) {
    const ofOthers = user.held - (hold.amount - hold.planAmount);
    return { ...REFUSED, ...shortageOf(user, parts.missing, ofOthers) };
  }
  const token = hold.tokenId === 0 ? undefined : rows.token(hold.tokenId);
  if (hold.tokenId !== 0) {
    if (token === undefined || token.isDeleted || token.status !== TOKEN_ENABLED) return REFUSED;
    const missing = token.isUnlimited ? 0 : moreAmount - freeOfToken(token, memoryHeld);
    if (missing > 0) return { ...REFUSED, ...shortageOf(user, missing, token.held - hold.amount) };
  }
  if (brokenBudget(rows, 'user', user, moreAmount) !== undefined) return REFUSED;
  if (token !== undefined && brokenBudget(rows, 'token', token, moreAmount) !== undefined) return REFUSED;
  const counters = countersOf(rows, hold.budgets, memoryHeld);
  const exceeded = exceededCounter(counters, moreAmount);
  if (exceeded !== undefined) {
    const ofOthers = exceeded.counter.held - hold.amount;
    return { ...REFUSED, ...shortageOf(user, moreAmount - leftOfCounter(exceeded), ofOthers) };
  }
  const planAmount = hold.planAmount + parts.plan;
  rows.changeHold({ ...hold, amount: hold.amount + moreAmount, planAmount });
  addHeld(user, token, parts.wallet, parts.plan);
  holdOfCounters(counters, moreAmount);
  if (pocket !== undefined) holdOf(pocket.subscription, parts.plan);
  return { isLarger: true };
}

const REFUSED: ExtendResult = { isLarger: false };
