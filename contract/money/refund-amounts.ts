// How much of an order can still be refunded, and the quota that a refund takes back: the server books it, the console shows
// it before.
interface RefundedOrder {
  amount_minor: number;
  refunded_minor: number;
  disputed_minor: number;
  quota: number;
  refunded_quota: number;
  disputed_quota: number;
  lost_quota: number;
}

/** The part of the price that is neither refunded nor claimed by a bank. */
export function minorLeft({ amount_minor, refunded_minor, disputed_minor }: RefundedOrder): number {
  return amount_minor - refunded_minor - disputed_minor;
}

/** The quota that belongs to it. An order for a plan has none. */
export function quotaLeft({ quota, refunded_quota, disputed_quota, lost_quota }: RefundedOrder): number {
  return quota === 0 ? 0 : quota - refunded_quota - disputed_quota - lost_quota;
}

/** The part of the quota that belongs to this part of the price; the last part takes what is left. */
export function quotaOfRefund(order: RefundedOrder, amountMinor: number): number {
  if (amountMinor === minorLeft(order)) return quotaLeft(order);
  return Number((BigInt(order.quota) * BigInt(amountMinor)) / BigInt(order.amount_minor));
}
