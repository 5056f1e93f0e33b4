// The providers' callbacks. The answer that ends the provider's repetitions is sent only after the credit is committed; a
// callback that is not genuine, or does not fit its order, credits nothing.
import type { Log } from '#contract/context.ts';
import { CommitNotConfirmedError } from '#server/store/errors.ts';
import { alertOperators } from './alert.ts';
import { creditReport } from './credit.ts';
import { addEvent } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';
import { expireOrder } from './place-order.ts';
import { CallbackRefused, type Callback, type CallbackReading, type PaymentProvider } from './provider.ts';

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
    if (!(error instanceof CommitNotConfirmedError)) throw error;
    parts.log.error('a payment callback is not confirmed by the standby; the provider sends it again', {
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
  if (reading.kind === 'other') return true;
  if (reading.kind === 'refunded_outside') {
    await noteOutsideRefund(parts, provider, reading.tradeNo, reading.amountMinor);
    return true;
  }
  const { report } = reading;
  if (report.state === 'paid') {
    const { kind } = await creditReport(parts, report, { provider: provider.name, how: 'callback' });
    return kind !== 'refused';
  }
  if (report.state === 'ended') {
    const order = await orderOf(parts, provider, report.tradeNo);
    if (order !== undefined) await expireOrder(parts, order.id, 'ended at the provider');
  }
  return true;
}

async function noteOutsideRefund(
  parts: PaymentParts,
  provider: PaymentProvider,
  tradeNo: string,
  amountMinor: number,
): Promise<void> {
  const order = await orderOf(parts, provider, tradeNo);
  if (order === undefined || order.refunded_minor >= amountMinor) return;
  await parts.store.db.transaction().execute(async (transaction) => {
    await addEvent(transaction, order.id, 'refunded_outside', String(amountMinor));
    const reason = `refunded at ${provider.name}, ${amountMinor} in minor units; book it on the orders page`;
    await alertOperators(transaction, tradeNo, reason);
  });
  parts.log.error('an order was refunded at the provider; book it on the orders page', {
    trade_no: tradeNo,
    amount_minor: amountMinor,
  });
}

async function orderOf({ store }: PaymentParts, provider: PaymentProvider, tradeNo: string) {
  return await store.db
    .selectFrom('orders')
    .select(['id', 'refunded_minor'])
    .where('trade_no', '=', tradeNo)
    .where('provider', '=', provider.name)
    .executeTakeFirst();
}
