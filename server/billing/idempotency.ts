// The keys under which money that comes from elsewhere is booked. One place, because audits look for the same keys.

export const topUpKind = 'topup';
export const redeemKind = 'redeem';
/** Quota taken back with a refunded order, and given again when the provider refused the refund. */
export const refundKind = 'topup_refund';
export const refundReversedKind = 'topup_refund_reversed';

export const checkInKind = 'checkin';
/** Balance paid for a subscription. */
export const planPurchaseKind = 'plan_purchase';

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
