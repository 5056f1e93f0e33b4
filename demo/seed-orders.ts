// Past payments: an order as the payment provider completes it, credited by the ledger's transfer with the time of the payment.
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { orderIdem, TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { moneyText } from '#server/money/payments/index.ts';
import { quoteOf } from '#server/money/payments/quote.ts';
import { sellerOf } from '#server/money/payments/seller.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { SitePerson } from './site.ts';

const PAYS_AFTER_SECONDS = 45;
const ORDER_SECONDS = 3600;
const PROVIDER = 'epay';

export interface OrderParts {
  store: Store;
  ledger: Ledger;
  settings: SettingsReader;
}

let serial = 0;
const tradeNumber = (userId: number, at: number) =>
  `USR${userId}NODEMO${String((serial += 1)).padStart(6, '0')}${at}`;

function orderOf({ settings }: OrderParts, person: SitePerson, at: number) {
  const { quota, amountMinor, currency, terms } = quoteOf(settings.current, {
    amount: person.topUp,
    group: person.group,
    method: { name: 'zfb', currency: 'CNY', price: settings.current.Price },
    promotion: '',
    now: at,
  });
  return {
    trade_no: tradeNumber(person.id, at),
    user_id: person.id,
    provider: PROVIDER,
    payment_method: 'zfb',
    amount: person.topUp,
    amount_minor: amountMinor,
    currency,
    quota,
    detail: JSON.stringify(terms),
    created_at: at - PAYS_AFTER_SECONDS,
    expires_at: at + ORDER_SECONDS,
  };
}

/** Returns the quota that was credited. */
export async function payOrder(parts: OrderParts, person: SitePerson, at: number): Promise<number> {
  const { store, ledger, settings } = parts;
  const order = orderOf(parts, person, at);
  const { trade_no, user_id, quota, amount_minor, currency } = order;
  await store.db.transaction().execute(async (transaction) => {
    const { id } = await transaction
      .insertInto('orders')
      .values({
        ...order,
        status: 'paid',
        paid_at: at,
        provider_reference: `2026${String(serial).padStart(12, '0')}`,
        seller: JSON.stringify(sellerOf(settings.current)),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [kind, created_at] of [
      ['created', order.created_at],
      ['callback', at],
      ['credited', at],
    ] as const)
      await transaction.insertInto('order_events').values({ order_id: id, created_at, kind }).execute();
    const booked = await ledger.transferWithin(transaction, {
      idem: orderIdem(trade_no),
      userId: user_id,
      amount: quota,
      from: `world:topup:${PROVIDER}`,
      to: 'user',
      kind: TOP_UP_KIND,
      reference: trade_no,
      at,
      log: {
        type: LOG_TYPE.topUp,
        user_id,
        username: person.username,
        quota,
        content: factText('topUp', {
          price: `${currency} ${moneyText(amount_minor, currency)}`,
          order: trade_no,
        }),
      },
    });
    if (!booked.ok) throw new Error(`the order of ${person.username} was not booked: ${booked.reason}`);
  });
  return quota;
}

/** An order whose payer went away. */
export async function abandonOrder(parts: OrderParts, person: SitePerson, at: number): Promise<void> {
  await parts.store.db
    .insertInto('orders')
    .values({ ...orderOf(parts, person, at), status: 'expired' })
    .execute();
}

/** Minutes ago. */
const WAITING = { pending: 4, refused: 38 } as const;

/** One whose payer is still at the provider, and one that was paid with another amount than the order's. */
export async function waitForOrders(
  parts: OrderParts,
  people: readonly SitePerson[],
  now: number,
): Promise<void> {
  const { db } = parts.store;
  const [, , payer, other] = people;
  if (payer === undefined || other === undefined) return;
  await db
    .insertInto('orders')
    .values({ ...orderOf(parts, payer, now - WAITING.pending * 60), status: 'pending' })
    .execute();
  const at = now - WAITING.refused * 60;
  const refused = orderOf(parts, other, at);
  const { currency, amount_minor } = refused;
  const price = (minor: number) => `${currency} ${moneyText(minor, currency)}`;
  const { id } = await db
    .insertInto('orders')
    .values({ ...refused, status: 'pending', next_query_at: now + ORDER_SECONDS })
    .returning('id')
    .executeTakeFirstOrThrow();
  const events = [
    { kind: 'created', created_at: at - PAYS_AFTER_SECONDS, detail: '' },
    {
      kind: 'refused',
      created_at: at,
      detail: factText('otherAmount', { expected: price(amount_minor), found: price(amount_minor - 100) }),
    },
  ] as const;
  for (const event of events)
    await db
      .insertInto('order_events')
      .values({ order_id: id, ...event })
      .execute();
}
