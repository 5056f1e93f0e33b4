// The row of a slice, on PostgreSQL: a hold without a call, by which a part of the balance belongs to one node for the next calls of a
// token. It counts as held for everybody else. A call inside it has no row until its first checkpoint; one that ends before never
// gets one, and its charge is taken from the free balance.
import { countersOf, holdOfCounters, leftOfCounters, type Counted } from './budgets.ts';
import { hasLimits } from './limits.ts';
import {
  NOTHING_IN_MEMORY,
  type Growth,
  type HoldOwner,
  type SlicePart,
  type WriteHold,
} from './operations.ts';
import { addHeld, emptyHold, freeOfToken, freeOfUser, TOKEN_ENABLED } from './reserve.ts';
import type { HoldState, Rows, TokenState, UserState } from './rows.ts';

/** As earlier versions call it: during an update nodes of both run side by side. */
const PREFIX = 'allowance:';

export const sliceId = (nodeId: string, epoch: number, count: number) =>
  `${PREFIX}${nodeId}:${epoch}:${count}`;

export const isSlice = (holdId: string) => holdId.startsWith(PREFIX);

/** For conditions in SQL. */
export const SLICE_PATTERN = `${PREFIX}%`;

/** Recovery releases the row of a slice after this time, by the database's clock, if its node has not. */
const LIFE_SECONDS = 180;

/** A balance is ample if its free part is so many times as large as the slice, and as everything that is held of the user. */
const AMPLE_TO_GROW = { sliceTimes: 100, heldTimes: 10 };
const AMPLE_TO_STAY = { sliceTimes: 50, heldTimes: 5 };

/**
 * Before a call inside the slice is charged: what the free balance lacks is taken from its part. Returns what is left of the
 * part; undefined: the slice is gone.
 */
export function drawOnSlice(
  rows: Rows,
  owner: HoldOwner,
  { id, amount }: SlicePart,
  charge: number,
): number | undefined {
  const slice = rows.findHold(id);
  if (slice === undefined) return undefined;
  const part = Math.min(amount, slice.amount);
  const drawn = Math.min(Math.max(0, charge - freeOf(subjectsOf(rows, owner))), part);
  if (drawn > 0) shrink(rows, slice, drawn);
  return part - drawn;
}

/** After a call was settled: its amount stays with the node, if the balance is ample. Returns what the slice has got. */
export function growSlice(rows: Rows, owner: HoldOwner, { id, amount, isNew }: Growth): number {
  const { userId, tokenId, budgets } = owner;
  const subjects = subjectsOf(rows, owner);
  const slice = rows.findHold(id);
  const expiresAt = slice?.expiresAt ?? rows.now + LIFE_SECONDS;
  // Without its row the slice is smaller than its node believes.
  if ((slice === undefined) !== isNew || !isOwnedFreely(subjects, expiresAt)) return 0;
  if (!isAmple(subjects, (slice?.amount ?? 0) + amount, amount, AMPLE_TO_GROW)) return 0;
  if (slice === undefined)
    rows.openHold(emptyHold(rows, { id, userId, tokenId, amount, expiresAt, budgets }));
  else rows.changeHold({ ...slice, amount: slice.amount + amount });
  holdOf(subjects, amount);
  return amount;
}

/** After a settlement: the slice has its row, balance and token are ample beside it, and nothing else decides about calls. */
export function isSliceOpen(rows: Rows, owner: HoldOwner, { id }: SlicePart): boolean {
  const slice = rows.findHold(id);
  const subjects = subjectsOf(rows, owner);
  if (slice === undefined || !isOwnedFreely(subjects, slice.expiresAt)) return false;
  return isAmple(subjects, slice.amount, 0, AMPLE_TO_STAY);
}

/**
 * Gives a call inside the slice its own row. If the slice is gone, what is free is held. Sent again, it may find the row, or that
 * another node has charged the call.
 */
export function writeHold(rows: Rows, { requestId, slice: part, owner, expiresAt }: WriteHold): null {
  if (rows.findHold(requestId) !== undefined || rows.booked(requestId) !== undefined) return null;
  const slice = rows.findHold(part.id);
  if (slice !== undefined) shrink(rows, slice, Math.min(part.amount, slice.amount));
  const subjects = subjectsOf(rows, owner);
  const amount = Math.min(part.amount, freeOf(subjects));
  const { userId, tokenId, budgets } = owner;
  rows.openHold(emptyHold(rows, { id: requestId, userId, tokenId, amount, expiresAt, budgets }));
  holdOf(subjects, amount);
  return null;
}

interface Subjects {
  user: UserState | undefined;
  token: TokenState | undefined;
  counters: readonly Counted[];
}

const subjectsOf = (rows: Rows, { userId, tokenId, budgets = '' }: HoldOwner): Subjects => ({
  user: rows.user(userId),
  token: rows.token(tokenId),
  counters: countersOf(rows, budgets),
});

function holdOf({ user, token, counters }: Subjects, amount: number): void {
  addHeld(user, token, amount, 0);
  holdOfCounters(counters, amount);
}

function freeOf({ user, token, counters }: Subjects): number {
  if (user === undefined) return 0;
  const free = freeOfUser(user, NOTHING_IN_MEMORY);
  const isLimited = token !== undefined && !token.isUnlimited;
  const payable = isLimited ? Math.min(free, freeOfToken(token, NOTHING_IN_MEMORY)) : free;
  return Math.max(0, Math.min(payable, leftOfCounters(counters)));
}

/** `more`: what the slice is about to get of the free balance. */
function isAmple(subjects: Subjects, size: number, more: number, ample: typeof AMPLE_TO_GROW): boolean {
  const free = freeOf(subjects) - more;
  return free >= size * ample.sliceTimes && free >= ((subjects.user?.held ?? 0) + more) * ample.heldTimes;
}

/** Nothing but the balance decides about the calls of this token until then. */
function isOwnedFreely({ user, token }: Subjects, until: number): boolean {
  if (user === undefined || token === undefined || !user.isActive || token.isDeleted) return false;
  if (token.userId !== user.id || token.status !== TOKEN_ENABLED) return false;
  const isLasting = token.expiredTime === -1 || token.expiredTime > until;
  return isLasting && !hasLimits(user) && !hasLimits(token);
}

/** A row of nothing stays until its node gives it back. */
function shrink(rows: Rows, slice: HoldState, by: number): void {
  rows.changeHold({ ...slice, amount: slice.amount - by });
  holdOf(subjectsOf(rows, slice), -by);
}
