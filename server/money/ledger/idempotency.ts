// The keys under which money that comes from elsewhere is booked. One place, because audits look for the same keys.

export const TOP_UP_KIND = 'topup';
export const REDEEM_KIND = 'redeem';
/** Quota taken back with a refunded order, and given again when the provider refused the refund. */
export const REFUND_KIND = 'topup_refund';
export const REFUND_REVERSED_KIND = 'topup_refund_reversed';

/** Quota frozen while a bank claims a payment back, and given back when the dispute ends. */
export const DISPUTE_FREEZE_KIND = 'dispute_freeze';
export const DISPUTE_RETURN_KIND = 'dispute_return';

/** `move`: 1, 2, … for each dispute. */
export function disputeIdem(disputeId: number, move: number): string {
  return `dispute:${disputeId}:${move}`;
}

/** Between two balances: an entry on each side, of one record. */
export const MOVE_OUT_KIND = 'move_out';
export const MOVE_IN_KIND = 'move_in';

export function moveIdem(moveId: number, side: 'in' | 'out'): string {
  return `move:${moveId}:${side}`;
}

export const CHECK_IN_KIND = 'checkin';
/** Balance paid for a subscription. */
export const PLAN_PURCHASE_KIND = 'plan_purchase';

export function planPurchaseIdem(subscriptionId: number): string {
  return `plan:${subscriptionId}:buy`;
}

export function orderIdem(tradeNumber: string): string {
  return `order:${tradeNumber}`;
}

export function redemptionIdem(redemptionId: number): string {
  return `redemption:${redemptionId}`;
}

export function refundIdem(requestId: string, isTakenBack: boolean): string {
  return isTakenBack ? `refund:${requestId}` : `refund:${requestId}:reversed`;
}

/** `day` is YYYY-MM-DD. */
export function checkInIdem(userId: number, day: string): string {
  return `checkin:${userId}:${day}`;
}

/** Into the dividend balance of an agent, and out of it again. The keys are those of the records. */
export const DIVIDEND_KIND = 'dividend';
export const DIVIDEND_BACK_KIND = 'dividend_back';
/** From the dividend balance to the user's balance. */
export const DIVIDEND_TRANSFER_KIND = 'dividend_transfer';
/** Out of the dividend balance with a request, and back when it is refused. */
export const WITHDRAWAL_KIND = 'withdrawal';
export const WITHDRAWAL_REFUSED_KIND = 'withdrawal_refused';

export function withdrawalIdem(withdrawalId: number, isRefused = false): string {
  return isRefused ? `withdrawal:${withdrawalId}:refused` : `withdrawal:${withdrawalId}`;
}

/** The operator's loss: what hold and balance could not pay of a call. */
export const SUSPENSE_KIND = 'suspense';
/** A note: what a call cost beyond its hold and its user paid all the same. */
export const ABOVE_HOLD_KIND = 'above_hold';

/** Notes of re-rating: less or more for past calls, and what the operator bears. */
export const RERATE_CREDIT_KIND = 'rerate_credit';
export const RERATE_DEBIT_KIND = 'rerate_debit';
export const RERATE_SUSPENSE_KIND = 'rerate_suspense';

/** `day` is YYYY-MM-DD. A day with many calls is booked in parts, each with its own key. */
export function rerateIdem(runId: number, userId: number, day: string, part: number): string {
  return `rerate:${runId}:${userId}:${day}:${part}`;
}

export const suspenseNoteIdem = (idem: string): string => `${idem}:suspense`;

/** The balance that a user had at another gateway. */
export const OPENING_KIND = 'import';

/** `part` names the row of the source: one key for each thing that is brought over. */
export function importIdem(importId: number, part: string): string {
  return `import:${importId}:${part}`;
}

const LOG_ID_DIGITS = 12;
/** Characters of an imported log row's id that follow the key under which its charge is booked. */
export const IMPORTED_LOG_SUFFIX = LOG_ID_DIGITS + 1;

/** The request id of a log row that was brought over: one entry books the charges of a user for a page of rows. */
export function importedLogId(idem: string, sourceId: string): string {
  return `${idem}:${sourceId.padStart(LOG_ID_DIGITS, '0')}`;
}
