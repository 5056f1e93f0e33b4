// Asks the providers about orders that no callback has ended, credits what was paid, and ends what was not. Also repeats
// refunds that are not ended, and freezes what disputes could not freeze while calls ran. A job runs it.
import { unixSeconds } from '#contract/time.ts';
import { creditReport } from './credit.ts';
import { freezeWaiting } from './disputes.ts';
import { knownPayment, type Order } from './order-rows.ts';
import { type PaymentParts } from './parts.ts';
import { expireOrder } from './place-order.ts';
import { ProviderError, type PaymentReport } from './provider.ts';
import { finishRefund, REFUND_WAIT_SECONDS } from './refund.ts';

const ORDERS_PER_RUN = 100;
const LONGEST_WAIT_SECONDS = 3600;
/** An expired order is asked about for so long: a payment may arrive late and its callback be lost. */
const ASKED_FOR_SECONDS = 2 * 24 * 3600;

export async function reconcileOrders(parts: PaymentParts, signal: AbortSignal): Promise<void> {
  const due = await parts.store.db
    .selectFrom('orders')
    .selectAll()
    .where('status', 'in', ['pending', 'expired'])
    .where('next_query_at', '>', 0)
    .where('next_query_at', '<=', unixSeconds())
    .orderBy('next_query_at')
    .limit(ORDERS_PER_RUN)
    .execute();
  for (const order of due) {
    if (signal.aborted) return;
    if (await claim(parts, order)) await ask(parts, order);
  }
  await repeatRefunds(parts, signal);
  await freezeWaiting(parts, signal);
}

const waitAfter = (queries: number) => Math.min(LONGEST_WAIT_SECONDS, 30 * 2 ** queries);

/** Moves the next question on; of two nodes one gets the order. */
async function claim({ store }: PaymentParts, order: Order): Promise<boolean> {
  const now = unixSeconds();
  const wait = waitAfter(order.queries);
  const isLast = now + wait > order.created_at + ASKED_FOR_SECONDS;
  const { numUpdatedRows } = await store.db
    .updateTable('orders')
    .set({ next_query_at: isLast ? 0 : now + wait, queries: order.queries + 1 })
    .where('id', '=', order.id)
    .where('next_query_at', '=', order.next_query_at)
    .where('status', 'in', ['pending', 'expired'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function ask(parts: PaymentParts, order: Order): Promise<void> {
  const provider = parts.providers.byName(order.provider);
  let report: PaymentReport | undefined;
  if (provider !== undefined && provider.methods().length > 0) {
    try {
      report = await provider.query(knownPayment(order));
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      parts.log.warn('the payment provider could not be asked', { trade_no: order.trade_no, error });
      // Without an answer the order may have been paid: it does not end yet.
      return;
    }
  }
  if (report?.state === 'paid') {
    await creditReport(parts, report, { provider: order.provider, how: 'asked' });
    return;
  }
  if (report?.state === 'ended') await expireOrder(parts, order.id, 'ended at the provider');
  else if (order.expires_at <= unixSeconds()) await expireOrder(parts, order.id, 'not paid in time');
}

async function repeatRefunds(parts: PaymentParts, signal: AbortSignal): Promise<void> {
  const open = await parts.store.db
    .selectFrom('refunds')
    .innerJoin('orders', 'orders.id', 'refunds.order_id')
    .select(['refunds.id as refund_id', 'orders.provider', 'refunds.queries', 'refunds.next_query_at'])
    .where('refunds.status', '=', 'pending')
    .where('refunds.created_at', '<', unixSeconds() - REFUND_WAIT_SECONDS)
    .where('refunds.next_query_at', '<=', unixSeconds())
    .orderBy('refunds.id')
    .limit(ORDERS_PER_RUN)
    .execute();
  for (const refund of open) {
    if (signal.aborted) return;
    if (parts.providers.byName(refund.provider)?.isRefundRepeatable !== true) continue;
    if (await claimRefund(parts, refund)) await finishRefund(parts, refund.refund_id);
  }
}

/** A bank may take days: each answer makes the wait for the next question longer. */
async function claimRefund(
  { store }: PaymentParts,
  { refund_id, queries, next_query_at }: { refund_id: number; queries: number; next_query_at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await store.db
    .updateTable('refunds')
    .set({ next_query_at: unixSeconds() + waitAfter(queries), queries: queries + 1 })
    .where('id', '=', refund_id)
    .where('status', '=', 'pending')
    .where('next_query_at', '=', next_query_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
