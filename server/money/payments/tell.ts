// Notifies user and operators of money that comes back: refunds that failed, disputes.
import type { Transaction } from 'kysely';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { moneyText } from './currency.ts';
import type { Order } from './order-rows.ts';

const priceText = (amountMinor: number, currency: string) =>
  `${currency} ${moneyText(amountMinor, currency)}`;

export async function tellRefundFailed(
  transaction: Transaction<Schema>,
  { trade_no: order, user_id: userId, currency }: Pick<Order, 'trade_no' | 'user_id' | 'currency'>,
  { id, amount_minor, quota }: Row<'refunds'>,
  reason: string,
): Promise<void> {
  const amount = priceText(amount_minor, currency);
  const key = `refund_failed:${id}`;
  await raiseNotice(transaction, {
    event: 'order_refund_failed',
    userId,
    values: { order, amount, quota },
    onceKey: `${key}:user`,
  });
  await raiseNotice(transaction, {
    event: 'refund_failed',
    values: { order, amount, reason: reason.slice(0, 200) },
    onceKey: key,
  });
}

export async function tellDispute(
  transaction: Transaction<Schema>,
  { trade_no: order, user_id: userId, currency }: Pick<Order, 'trade_no' | 'user_id' | 'currency'>,
  dispute: Row<'disputes'>,
  quota: number,
): Promise<void> {
  const { reference, status, status_at, claimed_minor, lost_quota: lost, reason } = dispute;
  const amount = priceText(claimed_minor, currency);
  const key = `dispute:${reference}:${status}:${status_at}`;
  await raiseNotice(transaction, {
    event: 'order_disputed',
    userId,
    values: { order, status, amount, quota },
    onceKey: `${key}:user`,
  });
  await raiseNotice(transaction, {
    event: 'payment_disputed',
    values: { order, status, amount, quota, lost, reason: reason.slice(0, 200) },
    onceKey: key,
  });
}
