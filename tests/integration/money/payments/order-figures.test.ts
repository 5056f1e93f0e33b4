// What the lists of orders add up, and what a receipt says was paid back.
import { expect, test } from 'bun:test';
import type { RequestContext } from '#server/admin/context.ts';
import { listAll } from '#server/admin/orders/list.ts';
import { createReceiptHandlers } from '#server/admin/orders/receipt.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const nobody = {} as RequestContext;
const settings = {
  current: { SellerName: 'Seller', SellerAddress: '', SellerTaxNumber: '', SystemName: 'Site' },
} as Parameters<typeof createReceiptHandlers>[0]['settings'];

async function addOrder({ db }: Store, trade_no: string, more: Partial<NewRow<'orders'>>): Promise<number> {
  const { id } = await db
    .insertInto('orders')
    .values({
      trade_no,
      user_id: 7,
      provider: 'epay',
      amount_minor: 1000,
      currency: 'CNY',
      quota: 600,
      created_at: 100,
      expires_at: 200,
      detail: '{"dollars":10}',
      ...more,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

forEachDatabase((_label, open) => {
  test('the sums of a list are of what was paid and not paid back, by currency, whatever page is shown', async () => {
    const store = await open();
    await addOrder(store, 'open', {});
    await addOrder(store, 'late', { status: 'expired' });
    await addOrder(store, 'whole', { status: 'paid' });
    await addOrder(store, 'part', { status: 'paid', refunded_minor: 300, refunded_quota: 180 });
    await addOrder(store, 'back', { status: 'refunded', refunded_minor: 1000, refunded_quota: 600 });
    await addOrder(store, 'yen', {
      status: 'paid',
      currency: 'JPY',
      amount_minor: 50,
      quota: 7,
      provider: 'stripe',
    });
    const list = (more: object) =>
      listAll(store)({ query: { p: 1, size: 2, keyword: '', ...more } } as never, nobody);
    const all = await list({});
    expect([all.total, all.items.map(({ trade_no }) => trade_no)]).toEqual([6, ['yen', 'back']]);
    expect(all.paid.toSorted((one, other) => one.amount_minor - other.amount_minor)).toEqual([
      { currency: 'JPY', currency_digits: 0, amount_minor: 50 },
      { currency: 'CNY', currency_digits: 2, amount_minor: 1700 },
    ]);
    expect(all.paid_quota).toBe(600 + 420 + 7);
    const second = await list({ p: 3, provider: 'epay' });
    expect([second.total, second.items.map(({ trade_no }) => trade_no), second.paid_quota]).toEqual([
      5,
      ['open'],
      1020,
    ]);
    expect(await list({ status: 'expired' })).toMatchObject({ total: 1, paid: [], paid_quota: 0 });
  });

  test('a receipt has the refunds that were paid back or are under way, and none of an order that was not paid', async () => {
    const store = await open();
    const id = await addOrder(store, 'paid', { status: 'paid', paid_at: 150, refunded_minor: 300 });
    const other = await addOrder(store, 'other', { status: 'paid', paid_at: 150 });
    const unpaid = await addOrder(store, 'unpaid', {});
    const refund = (request_id: string, order_id: number, status: 'pending' | 'done' | 'failed') =>
      store.db
        .insertInto('refunds')
        .values({ request_id, order_id, user_id: 7, created_at: 160, amount_minor: 100, status })
        .execute();
    await refund('a', id, 'done');
    await refund('b', id, 'failed');
    await refund('c', id, 'pending');
    await refund('d', other, 'done');
    const { read } = createReceiptHandlers({ store, settings });
    const receipt = await read({ params: { id } } as never, nobody);
    expect(receipt).toMatchObject({
      trade_no: 'paid',
      amount_minor: 1000,
      dollars: 10,
      seller: { name: 'Seller' },
    });
    expect(receipt.refunds.map(({ amount_minor, status }) => [amount_minor, status])).toEqual([
      [100, 'done'],
      [100, 'pending'],
    ]);
    expect(Promise.resolve(read({ params: { id: unpaid } } as never, nobody))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
