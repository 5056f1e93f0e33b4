// An allowance is a hold without a call: a part of the balance that one node has set aside for the next calls of a token, so that it
// can admit them without asking the database (PostgreSQL only). Its row counts as held for everybody else. A call that it covers has no
// row until its first checkpoint; most end before, and their settlement takes the charge from the free balance.
import { hasLimits } from './limits.ts';
import type { Cover, HoldOwner, Keep, WriteHold } from './operations.ts';
import { addHeld, freeOfToken, freeOfUser, tokenEnabled } from './reserve.ts';
import { nothingInMemory } from './operations.ts';
import type { HoldState, Rows, TokenState, UserState } from './rows.ts';
import { noPlan } from './subscriptions.ts';

const prefix = 'allowance:';

export const allowanceId = (nodeId: string, epoch: number, count: number) =>
  `${prefix}${nodeId}:${epoch}:${count}`;

export const isAllowance = (holdId: string) => holdId.startsWith(prefix);

/** For conditions in SQL. */
export const allowancePattern = `${prefix}%`;

/** The balance must be this many times the allowance, so that nobody misses what is set aside. */
const ampleTimes = 100;

/** Before a covered call is charged: what the free balance lacks is taken from its part of the allowance. */
export function drawOnAllowance(rows: Rows, owner: HoldOwner, cover: Cover, charge: number): void {
  const allowance = rows.findHold(cover.allowanceId);
  if (allowance === undefined) return;
  const { user, token } = subjectsOf(rows, owner);
  const lacking = charge - freeOf(user, token);
  if (lacking > 0) shrink(rows, allowance, Math.min(lacking, cover.amount));
}

/** After a call was settled: sets its amount aside again, if the balance is ample. Returns what was set aside. */
export function keepAllowance(rows: Rows, owner: HoldOwner, keep: Keep): number {
  const { user, token } = subjectsOf(rows, owner);
  if (user === undefined || token === undefined || !isFree(user, token, keep.expiresAt)) return 0;
  const allowance = rows.findHold(keep.allowanceId);
  if ((allowance === undefined) !== keep.isNew) return 0;
  const amount = (allowance?.amount ?? 0) + keep.amount;
  if (freeOf(user, token) - keep.amount < amount * ampleTimes) return 0;
  if (allowance === undefined) {
    const { allowanceId: id, expiresAt } = keep;
    rows.openHold(emptyHold(rows, { id, userId: owner.userId, tokenId: owner.tokenId, amount, expiresAt }));
  } else rows.changeHold({ ...allowance, amount });
  addHeld(user, token, keep.amount, 0);
  return keep.amount;
}

/** Gives a covered call its own row. If the allowance is gone, what is free is held. */
export function writeHold(rows: Rows, { requestId, cover, owner, expiresAt }: WriteHold): null {
  if (rows.findHold(requestId) !== undefined) return null;
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
