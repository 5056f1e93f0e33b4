// An allowance is a hold without a call: a part of the balance that one node has set aside for the next calls of a token, so that it
// can admit them without asking the database (PostgreSQL only). Its row counts as held for everybody else. A call that it covers has no
// row until its first checkpoint. One that ends before never gets a row, and its charge is taken from the free balance.
import { hasLimits } from './limits.ts';
import { nothingInMemory, type Cover, type HoldOwner, type Keep, type WriteHold } from './operations.ts';
import { addHeld, freeOfToken, freeOfUser, tokenEnabled } from './reserve.ts';
import type { HoldState, Rows, TokenState, UserState } from './rows.ts';
import { noPlan } from './subscriptions.ts';

const prefix = 'allowance:';

export const allowanceId = (nodeId: string, epoch: number, count: number) =>
  `${prefix}${nodeId}:${epoch}:${count}`;

export const isAllowance = (holdId: string) => holdId.startsWith(prefix);

/** For conditions in SQL. */
export const allowancePattern = `${prefix}%`;

/** Recovery releases the row of an allowance after this time, by the database's clock, if its node has not. */
const lifeSeconds = 180;

/** A balance is ample if its free part is at least so many times as large. */
interface Ample {
  /** As the allowance. */
  allowanceTimes: number;
  /** As everything that is held of the user, allowances included. */
  heldTimes: number;
}

const ampleToKeep: Ample = { allowanceTimes: 100, heldTimes: 10 };
const ampleToStay: Ample = { allowanceTimes: 50, heldTimes: 5 };

/**
 * Before a covered call is charged: what the free balance lacks is taken from its part of the allowance. Returns what is left
 * of the part; undefined: the allowance is gone.
 */
export function drawOnAllowance(
  rows: Rows,
  owner: HoldOwner,
  cover: Cover,
  charge: number,
): number | undefined {
  const allowance = rows.findHold(cover.allowanceId);
  if (allowance === undefined) return undefined;
  const { user, token } = subjectsOf(rows, owner);
  const part = Math.min(cover.amount, allowance.amount);
  const drawn = Math.min(Math.max(0, charge - freeOf(user, token)), part);
  if (drawn > 0) shrink(rows, allowance, drawn);
  return part - drawn;
}

/** After a call was settled: sets its amount aside again, if the balance is ample. Returns what was set aside. */
export function keepAllowance(rows: Rows, owner: HoldOwner, keep: Keep): number {
  const { user, token } = subjectsOf(rows, owner);
  const allowance = rows.findHold(keep.allowanceId);
  const expiresAt = allowance?.expiresAt ?? rows.now + lifeSeconds;
  if (user === undefined || token === undefined || !isFree(user, token, expiresAt)) return 0;
  if ((allowance === undefined) !== keep.isNew) return 0;
  const amount = (allowance?.amount ?? 0) + keep.amount;
  const beside = { free: freeOf(user, token) - keep.amount, held: user.held + keep.amount };
  if (!isAmple(beside, amount, ampleToKeep)) return 0;
  if (allowance === undefined) {
    const id = keep.allowanceId;
    rows.openHold(emptyHold(rows, { id, userId: owner.userId, tokenId: owner.tokenId, amount, expiresAt }));
  } else rows.changeHold({ ...allowance, amount });
  addHeld(user, token, keep.amount, 0);
  return keep.amount;
}

/** After a settlement: the allowance has its row, balance and token are ample beside it, and nothing else decides about calls. */
export function canStay(rows: Rows, owner: HoldOwner, { allowanceId: id }: Cover): boolean {
  const allowance = rows.findHold(id);
  const { user, token } = subjectsOf(rows, owner);
  if (allowance === undefined || user === undefined || token === undefined) return false;
  if (!isFree(user, token, allowance.expiresAt)) return false;
  return isAmple({ free: freeOf(user, token), held: user.held }, allowance.amount, ampleToStay);
}

/**
 * Gives a covered call its own row. If the allowance is gone, what is free is held. Sent again, it may find the row, or that
 * another node has charged the call.
 */
export function writeHold(rows: Rows, { requestId, cover, owner, expiresAt }: WriteHold): null {
  if (rows.findHold(requestId) !== undefined || rows.booked(requestId) !== undefined) return null;
  const allowance = rows.findHold(cover.allowanceId);
  if (allowance !== undefined) shrink(rows, allowance, cover.amount);
  const { user, token } = subjectsOf(rows, owner);
  const amount = Math.min(cover.amount, freeOf(user, token));
  const { userId, tokenId } = owner;
  rows.openHold(emptyHold(rows, { id: requestId, userId, tokenId, amount, expiresAt }));
  addHeld(user, token, amount, 0);
  return null;
}

interface Subjects {
  user: UserState | undefined;
  token: TokenState | undefined;
}

const subjectsOf = (rows: Rows, { userId, tokenId }: HoldOwner): Subjects => ({
  user: rows.user(userId),
  token: rows.token(tokenId),
});

function freeOf(user: UserState | undefined, token: TokenState | undefined): number {
  if (user === undefined) return 0;
  const free = freeOfUser(user, nothingInMemory);
  const isLimited = token !== undefined && !token.isUnlimited;
  return Math.max(0, isLimited ? Math.min(free, freeOfToken(token, nothingInMemory)) : free);
}

function isAmple(beside: { free: number; held: number }, amount: number, ample: Ample): boolean {
  const { free, held } = beside;
  return free >= amount * ample.allowanceTimes && free >= held * ample.heldTimes;
}

/** Nothing but the balance decides about the calls of this token until then. */
function isFree(user: UserState, token: TokenState, until: number): boolean {
  if (!user.isActive || token.isDeleted || token.userId !== user.id || token.status !== tokenEnabled)
    return false;
  const isLasting = token.expiredTime === -1 || token.expiredTime > until;
  return isLasting && !hasLimits(user) && !hasLimits(token);
}

function shrink(rows: Rows, allowance: HoldState, by: number): void {
  const taken = Math.min(by, allowance.amount);
  if (taken === allowance.amount) rows.takeHold(allowance.id);
  else rows.changeHold({ ...allowance, amount: allowance.amount - taken });
  const { user, token } = subjectsOf(rows, allowance);
  addHeld(user, token, -taken, 0);
}

function emptyHold(
  rows: Rows,
  hold: Pick<HoldState, 'id' | 'userId' | 'tokenId' | 'amount' | 'expiresAt'>,
): HoldState {
  return {
    ...hold,
    nodeId: rows.nodeId,
    epoch: rows.epoch,
    createdAt: rows.now,
    dispatched: false,
    checkpointQuota: 0,
    checkpoint: '',
    snapshot: '',
    ...noPlan,
  };
}
