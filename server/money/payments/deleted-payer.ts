// A payment that arrives after its account was deleted. It is booked like every payment, so that the books agree with the
// provider's, and paid back in the same transaction: the user cannot use it any more. The operators are notified.
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { alertOperators } from './alert.ts';
import { minorLeft } from '#contract/money/refund-amounts.ts';
import type { Order } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';
import { beginRefund, finishRefund } from './refund.ts';

/** Call it after the credit, which has locked the payer: a deletion that runs at the same time is before or after both. */
export async function refundDeletedPayer(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  { id, trade_no, user_id }: Order,
): Promise<number | undefined> {
  const { deleted_at } = await transaction
    .selectFrom('users')
    .select('deleted_at')
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow();
  if (deleted_at === null) return undefined;
  // Read again: a dispute that was known before the payment has claimed its part.
  const order = await transaction
    .selectFrom('orders')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const amountMinor = minorLeft(order);
  if (amountMinor <= 0) return undefined;
  await alertOperators(transaction, trade_no, 'paid after its account was deleted; it is paid back');
  const { refund } = await beginRefund(parts, transaction, {
    orderId: id,
    amountMinor,
    reason: 'the account was deleted before the payment arrived',
    requestId: `deleted:${trade_no}`,
    actorId: 0,
    atProvider: true,
  });
  return refund.id;
}

/** After the commit. A refund whose outcome is not known stays pending, and the list of orders shows it. */
export async function payBack(parts: PaymentParts, refundId: number, tradeNo: string): Promise<void> {
  try {
    const { status } = await finishRefund(parts, refundId, true);
    if (status === 'failed')
      await alertOperators(
        parts.store.db,
        tradeNo,
        'paid after its account was deleted, and the provider refused to pay it back: refund it by hand',
      );
  } catch (error) {
    parts.log.error('a payment of a deleted account could not be paid back', { trade_no: tradeNo, error });
  }
}
