// The providers' callbacks. The answer that ends the provider's repetitions is sent only after the credit is committed; a
// callback that is not genuine, or does not fit its order, credits nothing.
import { factText } from '#contract/facts.ts';
import type { Log } from '#contract/context.ts';
import { CommitNotConfirmedError } from '#server/platform/store/errors.ts';
import { alertOperators } from './alert.ts';
import { creditReport } from './credit.ts';
import { bookDispute } from './disputes.ts';
import { orderOfPayment } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';
import { expireOrder } from './place-order.ts';
import {
  CallbackRefused,
  ProviderError,
  type Callback,
  type CallbackReading,
  type DisputeReport,
  type PaymentProvider,
  type PaymentReport,
} from './provider.ts';
import { bookRefundReport, noteOutsideRefund } from './refund-reports.ts';

export type CallbackRoute = (callback: Callback, log: Log) => Promise<Response>;

/** Path → handler. A path whose provider is not configured answers 404. */
export function createCallbacks(parts: PaymentParts): Record<string, CallbackRoute> {
  return Object.fromEntries(
    Object.entries(parts.providers.callbacks).map(([path, provider]) => [
      path,
      (callback, log) => receive({ ...parts, log }, provider, callback),
    ]),
  );
}

async function receive(
  parts: PaymentParts,
  provider: PaymentProvider,
  callback: Callback,
): Promise<Response> {
  if (provider.methods().length === 0) return new Response('404 not found\n', { status: 404 });
  let reading: CallbackReading;
  try {
    reading = await provider.readCallback(callback);
  } catch (error) {
    if (!(error instanceof CallbackRefused)) throw error;
    parts.log.warn('a payment callback was refused', { provider: provider.name, reason: error.message });
    return provider.refused();
  }
  try {
    return (await book(parts, provider, reading)) ? provider.accepted() : provider.refused();
  } catch (error) {
    const reason =
      error instanceof CommitNotConfirmedError
        ? 'is not confirmed by the standby'
        : error instanceof ProviderError
          ? 'needs an answer of the provider'
          : 'could not be booked';
    // Every error refuses the callback, whatever HTTP status it has elsewhere, so that the provider sends it again.
    parts.log.error(`a payment callback ${reason}; the provider sends it again`, {
      provider: provider.name,
      error,
    });
    return provider.refused();
  }
}

/** False: the provider may send it again. */
async function book(
  parts: PaymentParts,
  provider: PaymentProvider,
  reading: CallbackReading,
): Promise<boolean> {
  if (reading.kind === 'payment') return await bookPayment(parts, provider, reading.report);
  if (reading.kind === 'refunded_outside')
    await noteOutsideRefund(parts, provider, reading.payment, reading.amountMinor);
  if (reading.kind === 'refund') await bookRefundReport(parts, provider, reading.report);
  if (reading.kind === 'dispute') await bookDisputeOf(parts, provider, reading.report);
  return true;
}

async function bookPayment(
  parts: PaymentParts,
  provider: PaymentProvider,
  report: PaymentReport,
): Promise<boolean> {
  if (report.state === 'paid') {
    const { kind } = await creditReport(parts, report, { provider: provider.name, how: 'callback' });
    return kind !== 'refused';
  }
  if (report.state === 'ended') {
    const order = await orderOfPayment(parts.store, provider, {
      tradeNo: report.tradeNo,
      paymentReference: '',
    });
    if (order !== undefined) await expireOrder(parts, order.id, 'ended at the provider');
  }
  return true;
}

async function bookDisputeOf(
  parts: PaymentParts,
  provider: PaymentProvider,
  report: DisputeReport,
): Promise<void> {
  const order = await orderOfPayment(parts.store, provider, report.payment);
  if (order !== undefined) {
    await bookDispute(parts, order.id, report);
    return;
  }
  const { reference, payment } = report;
  const reason = factText('disputeWithoutOrder', { reference, payment: payment.paymentReference ?? '' });
  await alertOperators(parts.store.db, '', reason, `dispute:${reference}`);
  parts.log.warn('a dispute of a payment without an order', { provider: provider.name, reference });
}
