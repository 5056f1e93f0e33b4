// A payment becomes balance. One conditional update decides (`pending` or `expired` → `paid`), and the ledger's transfer, the
// log row and the rewards are in the same transaction. The quota of the order is credited, not that of today's settings. A
// commit that the standby did not confirm is no credit yet: the provider is not answered, and its repetition waits again.
import type { Transaction } from 'kysely';
import { factText, wordsIn } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { unixSeconds } from '#contract/time.ts';
import { orderIdem, TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { alertOperators } from './alert.ts';
import { moneyText } from './currency.ts';
import { payBack, refundDeletedPayer } from './deleted-payer.ts';
import { addEvent, lockOrder, lockPayer, type Order } from './order-rows.ts';
import { type PaymentParts } from './parts.ts';
import { deliverPlan } from './plan-orders.ts';
import { sellerOf } from './seller.ts';
import type { PaymentReport } from './provider.ts';

export type Crediting =
  /** `refundId`: it came after its account was deleted and is paid back. */
  | { kind: 'credited'; order: Order; refundId: number | undefined }
  /** Paid before: nothing changed. */
  | { kind: 'already' }
  /** The report does not fit the order: nothing was credited, the operator must look. `reason` is a fact. */
  | { kind: 'refused'; reason: string };

/** `source`: the provider whose word it is, and how it came. */
export interface ReportSource {
  provider: string;
  how: 'callback' | 'asked';
}

export async function creditReport(
  parts: PaymentParts,
  report: PaymentReport,
  { provider, how }: ReportSource,
): Promise<Crediting> {
  const result = await parts.store.confirmedDb
    .transaction()
    .execute(async (transaction): Promise<Crediting> => {
      const order = await lockOrder(parts.store, transaction, 'trade_no', report.tradeNo);
      if (order === undefined) {
        await alertOperators(transaction, report.tradeNo, factText('paymentWithoutOrder'));
        return { kind: 'refused', reason: factText('paymentWithoutOrder') };
      }
      const reason = mismatch(order, report, provider);
      if (reason !== undefined) {
        await addEvent(transaction, order.id, 'refused', reason);
        await alertOperators(transaction, order.trade_no, factText('paymentMismatch', { failure: reason }));
        return { kind: 'refused', reason };
      }
      if (order.status === 'paid' || order.status === 'refunded') return { kind: 'already' };
      await addEvent(transaction, order.id, how);
      const paid = await creditOrder(parts, transaction, order, report);
      const refundId = await refundDeletedPayer(parts, transaction, paid);
      return { kind: 'credited', order: paid, refundId };
    });
  if (result.kind === 'credited' && result.refundId !== undefined)
    await payBack(parts, result.refundId, report.tradeNo);
  // Callers are known with their subscriptions.
  if (result.kind === 'credited' && result.order.plan_id > 0)
    await parts.store.changes.announce('users', String(result.order.user_id));
  if (result.kind === 'refused')
    parts.log.error('a payment was not credited', {
      trade_no: report.tradeNo,
      reason: wordsIn('en', result.reason),
    });
  return result;
}

/** For a locked order that is pending or expired. */
export async function creditOrder(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  { id, trade_no, provider, user_id, quota, amount_minor, currency }: Order,
  paid: Pick<PaymentReport, 'reference' | 'payer' | 'paymentReference'>,
): Promise<Order> {
  const order = await transaction
    .updateTable('orders')
    .set({
      status: 'paid',
      paid_at: unixSeconds(),
      next_query_at: 0,
      payer: paid.payer.slice(0, 200),
      seller: JSON.stringify(sellerOf(parts.settings.current)),
      ...(paid.reference === '' ? {} : { provider_reference: paid.reference.slice(0, 200) }),
      payment_reference: (paid.paymentReference ?? '').slice(0, 200),
    })
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'expired'])
    .returningAll()
    .executeTakeFirstOrThrow();
  await lockPayer(parts.store, transaction, user_id);
  const { username } = await transaction
    .selectFrom('users')
    .select('username')
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow();
  const price = priceText(amount_minor, currency);
  if (order.plan_id > 0) {
    const detail = await deliverPlan(parts, transaction, order, { username, price });
    await addEvent(transaction, id, 'credited', detail);
    for (const reward of parts.afterPayment) await reward(transaction, order);
    return order;
  }
  const booked = await parts.ledger.transferWithin(transaction, {
    idem: orderIdem(trade_no),
    userId: user_id,
    amount: quota,
    from: `world:topup:${provider}`,
    to: 'user',
    kind: TOP_UP_KIND,
    reference: trade_no,
    log: {
      type: LOG_TYPE.topUp,
      user_id,
      username,
      quota,
      content: factText('topUp', { price, order: trade_no }),
    },
  });
  if (!booked.ok) throw new Error(`the order ${trade_no} could not be credited: ${booked.reason}`);
  await addEvent(transaction, id, 'credited', String(quota));
  for (const reward of parts.afterPayment) await reward(transaction, order);
  return order;
}

/** Why a report is not about this order; undefined when it is. */
const priceText = (amountMinor: number, currency: string) =>
  `${currency} ${moneyText(amountMinor, currency)}`;

function mismatch(order: Order, report: PaymentReport, provider: string): string | undefined {
  if (order.provider !== provider)
    return factText('otherProvider', { expected: order.provider, found: provider });
  if (order.currency !== report.currency)
    return factText('otherCurrency', { expected: order.currency, found: report.currency });
  if (order.amount_minor !== report.amountMinor)
    return factText('otherAmount', {
      expected: priceText(order.amount_minor, order.currency),
      found: priceText(report.amountMinor, report.currency),
    });
  const isOther =
    order.provider_reference !== '' &&
    report.reference !== '' &&
    order.provider_reference !== report.reference;
  return isOther ? factText('otherPayment', { reference: report.reference.slice(0, 100) }) : undefined;
}
