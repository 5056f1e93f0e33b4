// The end of a call. The ledger row under the request id is the record of its settlement, also of a charge of zero: the
// first operation writes it, a later one finds it. Balance, token, channel, ledger, log and hourly figures change in one
// transaction.
import { SUSPENSE_KIND } from '#server/money/ledger/idempotency.ts';
import { noteAboveHold } from './above-hold.ts';
import { countersOf, holdOfCounters, spendOfCounters } from './budgets.ts';
import { chargeToken, chargeUser } from './accounts.ts';
import { countHolders } from './holders.ts';
import { marginOf } from './margins.ts';
import { figuresOf, NOTHING, releaseLate, settledBefore, settleLate, suspenseKey } from './late.ts';
import { correctTokens } from './limits.ts';
import type { HoldOwner, LogRow, NoteProgress, Release, Settle, SettleResult } from './operations.ts';
import { emptyHold, freeOfUser } from './reserve.ts';
import type { Rows, HoldState } from './rows.ts';
import { drawOnSlice, growSlice, isSliceOpen } from './slice.ts';
import { split } from './split.ts';
import {
  availableIn,
  logWithPlan,
  pocketOf,
  pocketOfHold,
  takeFromPlan,
  type PlanPocket,
} from './subscriptions.ts';

/** Reference of the ledger row of a charge: says whether the charge has a log row, so that audits expect one. */
export const LOGGED_REFERENCE = 'logged';
export const UNLOGGED_REFERENCE = 'unlogged';

export function settle(rows: Rows, operation: Settle): SettleResult {
  const { requestId, owner, slice } = operation;
  const hold = takeHold(rows, operation);
  if (hold !== undefined) return settleAndGrow(rows, hold, operation);
  const record = rows.booked(requestId);
  if (owner === undefined) return settledBefore(rows, requestId, record);
  if (record !== undefined) return settleLate(rows, operation, owner, record);
  // It is inside the slice, another node released it, or a crash of the database took it; the call has used what its settlement says.
  const { userId, tokenId, plan, budgets = '' } = owner;
  const pocket = plan === undefined ? undefined : pocketOf(rows, plan, 0);
  const reference = referenceOf(operation);
  const held = operation.held ?? slice?.amount;
  const terms = { userId, tokenId, budgets, pocket, reference, held, hadHold: slice !== undefined };
  if (slice === undefined) return charge(rows, operation, terms);
  const sliceKept = drawOnSlice(rows, owner, slice, operation.charge);
  const result = charge(rows, operation, terms);
  if (sliceKept === undefined) return result;
  return { ...result, sliceKept, isSliceOpen: isSliceOpen(rows, owner, slice) };
}

function settleAndGrow(rows: Rows, hold: HoldState, operation: Settle): SettleResult {
  const result = settleHold(rows, hold, operation, referenceOf(operation));
  const { growth } = operation;
  if (growth === undefined) return result;
  const sliceKept = growSlice(rows, hold, growth);
  const balance = result.balance - sliceKept;
  return { ...result, sliceKept, balance, isSliceOpen: isSliceOpen(rows, hold, growth) };
}

/** The tables do not count a hold in a slice without a row, so its amount is 0. A slice with a row is looked at later. */
function takeHold(rows: Rows, { requestId, owner, slice }: Settle): HoldState | undefined {
  return slice?.id === '' && owner !== undefined
    ? holdInSlice(rows, requestId, owner)
    : rows.takeHold(requestId);
}

const holdInSlice = (rows: Rows, id: string, { userId, tokenId, budgets }: HoldOwner): HoldState =>
  emptyHold(rows, { id, userId, tokenId, budgets, amount: 0, expiresAt: 0 });

const referenceOf = ({ log }: Settle) => (log === null ? UNLOGGED_REFERENCE : LOGGED_REFERENCE);
const timeOf = (rows: Rows, at: number) => (at === 0 ? rows.now : at);

/** Moves the money of a hold that has been taken. */
export function settleHold(rows: Rows, hold: HoldState, operation: Settle, reference: string): SettleResult {
  const pocket = endHold(rows, hold, operation.tokenDifference);
  const { userId, tokenId, budgets } = hold;
  const held = operation.slice?.id === '' ? operation.held : hold.amount;
  return charge(rows, operation, { userId, tokenId, budgets, pocket, reference, held, hadHold: true });
}

interface ChargeTerms {
  userId: number;
  tokenId: number;
  /** The counters that the charge counts in. */
  budgets: string;
  pocket: PlanPocket | undefined;
  reference: string;
  /** Undefined: not known. */
  held: number | undefined;
  hadHold: boolean;
}

/**
 * Takes the charge from the subscription and the balance. Beyond this call's own hold only what is free is taken, never what
 * other calls hold; what is missing is booked to suspense.
 */
function charge(rows: Rows, operation: Settle, terms: ChargeTerms): SettleResult {
  const { userId, tokenId, budgets, pocket, reference, hadHold } = terms;
  const { requestId, charge: asked, channelId, memoryHeld } = operation;
  const at = timeOf(rows, operation.at);
  const user = rows.user(userId);
  const free = user === undefined ? 0 : Math.max(0, freeOfUser(user, memoryHeld));
  const pockets = { plan: availableIn(pocket), wallet: free, isPlanFirst: pocket?.isPlanFirst === true };
  const { plan, wallet, missing: suspense } = split(asked, pockets);
  const charged = plan + wallet;
  if (pocket !== undefined) takeFromPlan(rows, pocket, requestId, plan, at);
  if (user !== undefined) {
    chargeUser(rows, user, { wallet, total: charged }, at);
    user.requestCount += 1;
  }
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  const tokenStatus = token === undefined ? 0 : chargeToken(token, charged, at);
  const credit = 'revenue';
  spendOfCounters(rows, budgets, charged, at);
  const use = { debit: `user:${userId}`, credit, amount: wallet, kind: 'use', reference };
  rows.book({ idem: requestId, userId, at, ...use });
  if (charged > 0 && channelId > 0) rows.countChannel(channelId, charged);
  if (suspense > 0) {
    const missing = {
      debit: 'suspense',
      credit,
      amount: suspense,
      kind: SUSPENSE_KIND,
      reference: requestId,
    };
    rows.book({ idem: suspenseKey(requestId), userId, at, ...missing });
  }
  const note = { idem: requestId, requestId, userId, at };
  const aboveHold = noteAboveHold(rows, note, charged, terms.held);
  if (operation.log !== null) {
    const paid = plan === 0 || pocket === undefined ? operation.log : planRow(operation.log, pocket, plan);
    const row = countedIn(paid, budgets);
    rows.log({ at, requestId, quota: charged, cost: operation.cost ?? null, row });
  }
  rows.countMargin(marginOf(operation, { userId, at, charged }));
  const counted = figuresOf(operation, charged);
  rows.countUsage({ at, userId, tokenId, channelId, modelName: operation.modelName, ...counted });
  countHolders(rows, operation.log, { at, userId, tokenId, modelName: operation.modelName }, counted);
  const balance = user === undefined ? -1 : freeOfUser(user, memoryHeld);
  return { charged, balance, suspense, aboveHold, duplicate: false, hadHold, tokenStatus };
}

/** The log row names the counters, so that they can be counted again. */
const countedIn = (row: LogRow, budgets: string): LogRow => (budgets === '' ? row : { ...row, budgets });

const planRow = (row: LogRow, { subscription }: PlanPocket, quota: number) =>
  logWithPlan(row, subscription.id, quota);

/** True: a hold has ended, and its amount is free again. A charge of recovery that is given back is not its hold. */
export function release(rows: Rows, operation: Release): boolean {
  const { requestId, tokenDifference, failure, owner, slice, isAgain = false } = operation;
  if (slice !== undefined && isAgain && rows.callLog(requestId) !== undefined) return false;
  const isInSlice = slice !== undefined && owner !== undefined;
  const hold = isInSlice ? holdInSlice(rows, requestId, owner) : rows.takeHold(requestId);
  if (hold === undefined) {
    releaseLate(rows, operation);
    return false;
  }
  dropHold(rows, hold, tokenDifference);
  if (failure === undefined) return true;
  const at = timeOf(rows, operation.at);
  rows.countUsage({
    at,
    userId: hold.userId,
    tokenId: hold.tokenId,
    channelId: failure.channelId,
    modelName: failure.modelName,
    ...NOTHING,
    errorCount: 1,
    useTimeMs: failure.useTimeMs,
  });
  const { userId, tokenId } = hold;
  const { modelName } = failure;
  const counted = { ...NOTHING, errorCount: 1, useTimeMs: failure.useTimeMs };
  countHolders(rows, failure.log, { at, userId, tokenId, modelName }, counted);
  if (failure.log !== null) rows.log({ at, requestId, quota: 0, cost: null, row: failure.log });
  return true;
}

/** Ends a hold that pays for nothing. */
export function dropHold(rows: Rows, hold: HoldState, tokenDifference: number): void {
  const pocket = endHold(rows, hold, tokenDifference);
  if (pocket !== undefined) takeFromPlan(rows, pocket, hold.id, 0, rows.now);
}

/**
 * Gives the held amount back and corrects the tokens counted at admission. The part of a subscription whose period is over
 * is for this call only: `takeFromPlan` must follow.
 */
function endHold(rows: Rows, hold: HoldState, tokenDifference: number): PlanPocket | undefined {
  const { planAmount } = hold;
  const pocket = pocketOfHold(rows, hold);
  if (pocket !== undefined && planAmount > 0) {
    pocket.subscription.held -= planAmount;
    pocket.subscription.dirty = true;
  }
  const user = rows.user(hold.userId);
  if (user !== undefined) {
    user.held = Math.max(0, user.held - (hold.amount - planAmount));
    user.dirty = true;
    if (planAmount > 0) {
      user.planHeld = Math.max(0, user.planHeld - planAmount);
      user.isPlanHeldChanged = true;
    }
    correctTokens(rows, 'user', user, hold.createdAt, tokenDifference);
  }
  const token = hold.tokenId === 0 ? undefined : rows.token(hold.tokenId);
  if (token !== undefined) {
    token.held = Math.max(0, token.held - hold.amount);
    token.dirty = true;
    correctTokens(rows, 'token', token, hold.createdAt, tokenDifference);
  }
  holdOfCounters(countersOf(rows, hold.budgets), -hold.amount);
  return pocket;
}

/** A call that settled meanwhile has no hold: then nothing is written. A checkpoint below the last one is older or wrong. */
export function noteProgress(rows: Rows, { requestId, checkpoint, snapshot, renews }: NoteProgress): null {
  const hold = rows.findHold(requestId);
  if (hold === undefined) return null;
  const isProgress = checkpoint !== undefined && checkpoint.quota >= hold.checkpointQuota;
  rows.changeHold({
    ...hold,
    dispatched: true,
    checkpointQuota: isProgress ? checkpoint.quota : hold.checkpointQuota,
    checkpoint: isProgress ? JSON.stringify(checkpoint) : hold.checkpoint,
    snapshot: hold.snapshot === '' || renews === true ? snapshot : hold.snapshot,
  });
  return null;
}
