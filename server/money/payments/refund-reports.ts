// What a provider says about a refund after it was asked for one, in any order and more than once. A refund goes from pending
// to done to failed and never back, so the last word does not depend on the order: what failed gives the quota back, once.
import { factText } from '#contract/facts.ts';
import { sql } from 'kysely';
import { alertOperators } from './alert.ts';
import { moneyText } from './currency.ts';
import { addEvent, lockOrder, orderOfPayment, type Order } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';
import type { PaymentName, PaymentProvider, RefundReport } from './provider.ts';
import { DISPUTE_REFUND_PREFIX, endRefundWithin, noteAccepted, type Refund } from './refund.ts';
import { tellRefundFailed } from './tell.ts';

export async function bookRefundReport(
  parts: PaymentParts,
  provider: PaymentProvider,
  report: RefundReport,
): Promise<void> {
  const known = await refundOf(parts, provider, report);
  if (known === undefined) {
    if (report.state === 'failed') await noteOutsideFailure(parts, provider, report);
    return;
  }
  const { detail, reference, state } = report;
  const order = await parts.store.confirmedDb.transaction().execute(async (transaction) => {
    const locked = await lockOrder(parts.store, transaction, 'id', known.order_id);
    if (locked === undefined) return undefined;
    await noteAccepted(parts, transaction, known, reference);
    if (state === 'pending') return undefined;
    const isPaidBack = state === 'done';
    const ending = { isPaidBack, detail, reference, isAfterDone: !isPaidBack };
    const { refund, isEnded } = await endRefundWithin(parts, transaction, known.id, ending);
    if (isEnded && !isPaidBack) await tellRefundFailed(transaction, locked, refund, detail);
    return locked;
  });
  // Callers are known with their subscriptions.
  if (order !== undefined && order.plan_id > 0)
    await parts.store.changes.announce('users', String(order.user_id));
}

/** By our own id, which the provider keeps with the refund; one that was begun before that has only the provider's. */
async function refundOf(
  { store }: PaymentParts,
  provider: PaymentProvider,
  { requestId, reference, amountMinor }: RefundReport,
): Promise<Refund | undefined> {
  const refunds = store.db
    .selectFrom('refunds')
    .innerJoin('orders', 'orders.id', 'refunds.order_id')
    .selectAll('refunds')
    .where('orders.provider', '=', provider.name)
    .where('refunds.amount_minor', '=', amountMinor);
  return await (
    requestId === ''
      ? refunds.where('refunds.provider_reference', '=', reference)
      : refunds.where('refunds.request_id', '=', requestId)
  ).executeTakeFirst();
}

/** Somebody made it in the provider's own console: whether it was booked here only a person knows. */
async function noteOutsideFailure(
  parts: PaymentParts,
  provider: PaymentProvider,
  { payment, reference, amountMinor, detail }: RefundReport,
): Promise<void> {
  const order = await orderOfPayment(parts.store, provider, payment);
  if (order === undefined) return;
  const amount = moneyText(amountMinor, order.currency);
  await parts.store.db.transaction().execute(async (transaction) => {
    const reason = factText('refundFailedOutside', {
      reference,
      amount,
      provider: provider.name,
      words: detail,
    });
    if (await alertOperators(transaction, order.trade_no, reason))
      await addEvent(transaction, order.id, 'refund_failed', `${reference}: ${detail}`);
  });
}

/** `refundedMinor`: all that the provider refunded of the payment so far. */
export async function noteOutsideRefund(
  parts: PaymentParts,
  provider: PaymentProvider,
  payment: PaymentName,
  refundedMinor: number,
): Promise<void> {
  const order = await orderOfPayment(parts.store, provider, payment);
  if (order === undefined || (await sumSentMinor(parts, order)) >= refundedMinor) return;
  const isNew = await parts.store.db.transaction().execute(async (transaction) => {
    const amount = moneyText(refundedMinor, order.currency);
    const reason = factText('refundedOutside', { provider: provider.name, amount });
    const isFirst = await alertOperators(transaction, order.trade_no, reason);
    if (isFirst) await addEvent(transaction, order.id, 'refunded_outside', String(refundedMinor));
    return isFirst;
  });
  if (isNew)
    parts.log.error('an order was refunded at the provider; book it on the orders page', {
      trade_no: order.trade_no,
      amount_minor: refundedMinor,
    });
}

/** What we know of: also refunds that the provider took and that failed later, because its event may arrive after the failure. */
async function sumSentMinor({ store }: PaymentParts, { id }: Order): Promise<number> {
  const { sum } = await store.db
    .selectFrom('refunds')
    .select(sql<number>`coalesce(sum(amount_minor), 0)`.as('sum'))
    .where('order_id', '=', id)
    // What a bank took is no refund of the provider.
    .where('request_id', 'not like', `${DISPUTE_REFUND_PREFIX}%`)
    .where((refund) => refund.or([refund('status', '<>', 'failed'), refund('provider_reference', '<>', '')]))
    .executeTakeFirstOrThrow();
  return sum;
}
