// Notes in the ledger what a call cost beyond its hold and its user paid all the same. What was not paid is booked to `suspense`.
// A note moves no user's money: both of its accounts are outside.
import { ABOVE_HOLD_KIND } from '#server/money/ledger/idempotency.ts';
import type { Rows } from './rows.ts';

export const aboveHoldKey = (idem: string) => `${idem}:above-hold`;
export const ABOVE_HOLD_ACCOUNT = 'world:above-hold';
const HOLD_ACCOUNT = 'world:hold';

interface Note {
  /** Of the settlement. */
  idem: string;
  requestId: string;
  userId: number;
  at: number;
}

/** Returns the part above the hold. `held`: undefined when it is not known. */
export function noteAboveHold(rows: Rows, note: Note, charged: number, held: number | undefined): number {
  const above = held === undefined ? 0 : Math.max(0, charged - held);
  if (above > 0) book(rows, note, above);
  return above;
}

/** A late settlement replaces the charge of recovery. Returns what was added to the part above the hold. */
export function correctAboveHold(rows: Rows, note: Note, charged: number, held: number | undefined): number {
  const before = rows.booked(aboveHoldKey(note.requestId))?.amount ?? 0;
  const now = held === undefined ? Math.min(before, charged) : Math.max(0, charged - held);
  if (now !== before) book(rows, note, now - before);
  return Math.max(0, now - before);
}

/** `more` is negative where a part of the first note is taken back. */
function book(rows: Rows, { idem, requestId, userId, at }: Note, more: number): void {
  const [debit, credit] = more < 0 ? [HOLD_ACCOUNT, ABOVE_HOLD_ACCOUNT] : [ABOVE_HOLD_ACCOUNT, HOLD_ACCOUNT];
  const entry = { debit, credit, amount: Math.abs(more), kind: ABOVE_HOLD_KIND, reference: requestId };
  rows.book({ idem: aboveHoldKey(idem), userId, at, ...entry });
}
