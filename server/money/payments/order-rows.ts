// Rows of `orders` and `order_events`. Every change of an order leaves an event in the same transaction.
import { randomInt } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { OrderEventKind } from '#contract/money/orders.ts';
import { unixSeconds } from '#contract/time.ts';
import { forUpdate } from '#server/platform/store/locks.ts';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { KnownPayment, PaymentName, PaymentProvider } from './provider.ts';

export type Order = Row<'orders'>;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** In the form that operators know from their providers' lists: user, a random part, the time. */
export function newTradeNumber(userId: number): string {
  const random = Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `USR${userId}NO${random}${unixSeconds()}`;
}

/** Without an event: the caller adds what it has to tell. */
export async function insertOrder(
  transaction: Transaction<Schema>,
  values: NewRow<'orders'>,
): Promise<Order> {
  return await transaction.insertInto('orders').values(values).returningAll().executeTakeFirstOrThrow();
}

/** The order, locked until the transaction ends: callbacks, questions and administrators wait for each other. */
export async function lockOrder(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  column: 'id' | 'trade_no',
  value: number | string,
): Promise<Order | undefined> {
  const query = transaction.selectFrom('orders').selectAll().where(column, '=', value);
  return query.$call(forUpdate(store)).executeTakeFirst();
}

/**
 * Locks the payer and the two inviters above, who may earn from the payment, in the order of their ids. The ledger's batches
 * lock users in that order too: locked one by one, payer first, they could deadlock with a batch of calls.
 */
export async function lockPayer(
  { dialect }: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  if (dialect === 'sqlite') return;
  await sql`
    select id from users where id = ${userId} or id in (
      select inviter_id from users where id = ${userId}
      union select i.inviter_id from users u join users i on i.id = u.inviter_id where u.id = ${userId})
    order by id for no key update`.execute(transaction);
}

/** The order that a provider speaks of; undefined: none of ours. Throws ProviderError when the provider must be asked and is away. */
export async function orderOfPayment(
  { db }: Pick<Store, 'db'>,
  provider: Pick<PaymentProvider, 'name' | 'tradeNoOf'>,
  { tradeNo, paymentReference }: PaymentName,
): Promise<Order | undefined> {
  const find = async (column: 'trade_no' | 'payment_reference', value: string) =>
    value === ''
      ? undefined
      : await db
          .selectFrom('orders')
          .selectAll()
          .where(column, '=', value)
          .where('provider', '=', provider.name)
          .executeTakeFirst();
  const known = (await find('trade_no', tradeNo)) ?? (await find('payment_reference', paymentReference));
  if (known !== undefined || paymentReference === '') return known;
  return await find('trade_no', (await provider.tradeNoOf?.(paymentReference)) ?? '');
}

export async function addEvent(
  db: Kysely<Schema>,
  orderId: number,
  kind: OrderEventKind,
  detail = '',
): Promise<void> {
  await db
    .insertInto('order_events')
    .values({ order_id: orderId, created_at: unixSeconds(), kind, detail: detail.slice(0, 500) })
    .execute();
}

export function knownPayment({ trade_no, provider_reference, amount_minor, currency }: Order): KnownPayment {
  return { tradeNo: trade_no, reference: provider_reference, amountMinor: amount_minor, currency };
}
