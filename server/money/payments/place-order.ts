// Places an order: the row with its frozen price first, then the provider's page.
import { factText } from '#contract/facts.ts';
import { AppError } from '#contract/errors.ts';
import type { PaymentMethodName } from '#contract/money/orders.ts';
import { unixSeconds } from '#contract/time.ts';
import type { PlanTerms } from '#server/money/ledger/subscriptions.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import { alertOperators } from './alert.ts';
import { addEvent, insertOrder, newTradeNumber } from './order-rows.ts';
import { type PaymentParts } from './parts.ts';
import { ProviderError, type PaymentPage } from './provider.ts';
import { quoteOf, type Quote } from './quote.ts';
import type { OfferedMethod } from './registry.ts';

export interface TopUpRequest {
  amount: number;
  method: PaymentMethodName | undefined;
  promotion: string;
}

export interface Buyer {
  id: number;
  group: string;
}

const MOST_OPEN_ORDERS = 20;
const FIRST_QUESTION_SECONDS = 60;

export function priceOf(parts: PaymentParts, buyer: Buyer, request: TopUpRequest): Quote {
  return quoted(parts, buyer, request).quote;
}

function quoted(parts: PaymentParts, buyer: Buyer, request: TopUpRequest) {
  const { providers, settings } = parts;
  const offered = providers.methods();
  const [first] = offered;
  if (first === undefined) throw new AppError('top_up_disabled');
  const method = request.method === undefined ? first : providers.method(request.method);
  if (method === undefined) throw new AppError('top_up_method_unknown', {}, { field: 'payment_method' });
  const { amount, promotion } = request;
  const quote = quoteOf(settings.current, {
    amount,
    promotion,
    method,
    group: buyer.group,
    now: unixSeconds(),
  });
  return { method, quote };
}

export async function placeOrder(
  parts: PaymentParts,
  buyer: Buyer,
  request: TopUpRequest,
): Promise<PaymentPage & { tradeNo: string }> {
  const { method, quote } = quoted(parts, buyer, request);
  const { amountMinor, currency, quota, terms } = quote;
  const title = `TUC${terms.dollars}`;
  const detail = JSON.stringify(terms);
  const values = { amount: terms.dollars, quota, detail, amount_minor: amountMinor, currency };
  return await openOrder(parts, buyer.id, method, { title, values });
}

export interface PlanOrder {
  method: PaymentMethodName;
  terms: PlanTerms;
  /** The subscription that this one renews; 0 = none. */
  followsId: number;
  /** Runs in the transaction that inserts the order; throws to refuse it. */
  check: (transaction: Transaction<Schema>) => Promise<void>;
}

/** An order for a plan. What is delivered is frozen on it: the plan may change or go while the buyer pays. */
export async function placePlanOrder(
  parts: PaymentParts,
  buyer: Buyer,
  { method: name, terms, followsId, check }: PlanOrder,
): Promise<PaymentPage & { tradeNo: string }> {
  const method = parts.providers.method(name);
  if (method === undefined || method.currency !== terms.currency)
    throw new AppError('top_up_method_unknown', {}, { field: 'payment_method' });
  const { plan_id, plan_name, price_minor: amount_minor, currency } = terms;
  const detail = JSON.stringify({ plan: terms, follows_id: followsId });
  const values = { plan_id, amount: 0, quota: 0, detail, amount_minor, currency };
  return await openOrder(parts, buyer.id, method, { title: plan_name, values, check });
}

interface NewOrder {
  title: string;
  values: Pick<NewRow<'orders'>, 'amount' | 'quota' | 'detail' | 'plan_id' | 'amount_minor' | 'currency'>;
  check?: PlanOrder['check'];
}

async function openOrder(
  parts: PaymentParts,
  userId: number,
  method: OfferedMethod,
  { title, values, check }: NewOrder,
): Promise<PaymentPage & { tradeNo: string }> {
  await refuseTooManyOpen(parts, userId);
  const order = await storeOrder(parts, { ...values, user_id: userId }, method, check);
  const { id, trade_no: tradeNo, expires_at: expiresAt } = order;
  try {
    const page = await method.provider.begin({
      tradeNo,
      method: method.name,
      amountMinor: order.amount_minor,
      currency: order.currency,
      title,
      expiresAt,
    });
    if (page.reference !== '')
      await parts.store.db
        .updateTable('orders')
        .set({ provider_reference: page.reference })
        .where('id', '=', id)
        .where('provider_reference', '=', '')
        .execute();
    return { ...page, tradeNo };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    parts.log.error('the payment provider refused an order', { trade_no: tradeNo, error });
    await expireOrder(parts, id, factText('noPaymentPage'));
    const { name } = method.provider;
    // At most one an hour: the provider is away or its settings are wrong, for every buyer.
    const hour = Math.floor(unixSeconds() / 3600);
    await alertOperators(
      parts.store.db,
      tradeNo,
      factText('paymentProviderRefused', { provider: name }),
      `${name}:${hour}`,
    );
    throw new AppError('payment_provider_failed');
  }
}

async function storeOrder(
  { store, settings }: PaymentParts,
  values: NewOrder['values'] & { user_id: number },
  method: OfferedMethod,
  check: PlanOrder['check'] | undefined,
) {
  const now = unixSeconds();
  return await store.db.transaction().execute(async (transaction) => {
    await check?.(transaction);
    const order = await insertOrder(transaction, {
      ...values,
      trade_no: newTradeNumber(values.user_id),
      provider: method.provider.name,
      payment_method: method.name,
      created_at: now,
      expires_at: now + settings.current.OrderMinutes * 60,
      next_query_at: now + FIRST_QUESTION_SECONDS,
    });
    await addEvent(transaction, order.id, 'created');
    return order;
  });
}

/** Leaves an order that was paid meanwhile as it is. */
export async function expireOrder({ store }: PaymentParts, id: number, why: string): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('orders')
      .set({ status: 'expired' })
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await addEvent(transaction, id, 'expired', why);
  });
}

async function refuseTooManyOpen({ store }: PaymentParts, userId: number): Promise<void> {
  const { open } = await store.db
    .selectFrom('orders')
    .select(sql<number>`count(*)`.as('open'))
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', unixSeconds())
    .executeTakeFirstOrThrow();
  if (open >= MOST_OPEN_ORDERS) throw new AppError('top_up_too_many_open');
}
