// The keys under which money that comes from elsewhere is booked. One place, because audits look for the same keys.

export const topUpKind = 'topup';
export const redeemKind = 'redeem';

export function orderIdem(tradeNumber: string): string {
  return `order:${tradeNumber}`;
}

export function redemptionIdem(redemptionId: number): string {
  return `redemption:${redemptionId}`;
}
