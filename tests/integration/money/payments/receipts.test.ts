// The receipt of a paid order, and refunds whose outcome an administrator decides.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

forEachDatabase((label) => {
  let shop: Shop;
  let admin: Actor;
  beforeAll(async () => {
    shop = await openShop(label, {
      SellerName: 'Gate Ltd',
      SellerAddress: '1 Road\n10115 Berlin',
      SellerTaxNumber: 'DE 123',
    });
    admin = await shop.app.actor({ role: ROLE.admin });
  }, 60_000);
  afterAll(() => shop.close());

  async function paidOrder(as: Actor): Promise<string> {
    const { tradeNo } = await order(shop, as);
    await shop.epay.notify(tradeNo);
    return tradeNo;
  }

  test('the receipt has seller, buyer, amount and references, and keeps the seller of the day of the payment', async () => {
    const user = await shop.app.actor({ row: { display_name: 'A. Buyer', email: 'buyer@site.example' } });
    const tradeNo = await paidOrder(user);
    const { id, paid_at } = await orderRow(shop, tradeNo);
    const month = new Date(paid_at * 1000).toISOString().slice(0, 7).replace('-', '');
    const expected = {
      number: `R${month}-${String(id).padStart(6, '0')}`,
      trade_no: tradeNo,
      provider_reference: shop.epay.orders.get(tradeNo)?.tradeNo ?? '',
      payment_method: 'zfb',
      amount_minor: 7300,
      currency: 'CNY',
      currency_digits: 2,
      dollars: 10,
      quota: 5_000_000,
      status: 'paid',
      paid_at,
      seller: { name: 'Gate Ltd', address: '1 Road\n10115 Berlin', tax_number: 'DE 123' },
      buyer: { id: user.id, username: user.username, display_name: 'A. Buyer', email: 'buyer@site.example' },
      refunds: [],
    };
    const own = () => shop.app.client(user).receipts.own({ params: { trade_no: tradeNo } });
    expect(await own()).toMatchObject(expected);
    expect(await shop.app.client(admin).receipts.read({ params: { id } })).toEqual(await own());
    await shop.app.settings.set('SellerName', 'Gate Group', 0);
    expect((await own()).seller.name).toBe('Gate Ltd');
    // An order of before the seller was kept.
    await shop.app.store.db.updateTable('orders').set({ seller: '' }).where('id', '=', id).execute();
    expect((await own()).seller.name).toBe('Gate Group');
    await shop.app.settings.set('SellerName', '', 0);
    expect((await own()).seller.name).toBe('Tollgate');
    await shop.app.settings.set('SellerName', 'Gate Ltd', 0);
  });

  test('an unpaid order and another user’s order have no receipt', async () => {
    const [user, other] = [await shop.app.actor(), await shop.app.actor()];
    const open = await order(shop, user);
    const paid = await paidOrder(user);
    const { id } = await orderRow(shop, paid);
    const ask = (as: Actor | undefined, path: string) =>
      shop.app.request(`/api/order/${path}/receipt`, { as });
    expect((await ask(user, `self/${open.tradeNo}`)).status).toBe(404);
    expect((await ask(other, `self/${paid}`)).status).toBe(404);
    expect((await ask(undefined, `self/${paid}`)).status).toBe(401);
    expect((await ask(other, String(id))).status).toBe(403);
    expect((await ask(admin, '999999')).status).toBe(404);
    expect((await ask(user, `self/${paid}`)).status).toBe(200);
  });

  const refund = async (tradeNo: string, amount_minor: number, request_id: string) => {
    const { id } = await orderRow(shop, tradeNo);
    const body = { reason: 'asked for', at_provider: true, amount_minor, request_id };
    return await shop.app.request(`/api/order/${id}/refund`, { as: admin, body });
  };

  /** A refund whose outcome Epay does not say, as old as given. */
  async function openRefund(user: Actor, name: string, ageSeconds: number) {
    const tradeNo = await paidOrder(user);
    shop.epay.refundAnswer = 'breaks';
    const reply = await refund(tradeNo, 7300, `${label}-${name}`);
    shop.epay.refundAnswer = 'pays';
    expect(reply.body.data).toMatchObject({ refund_status: 'pending' });
    const { id } = await orderRow(shop, tradeNo);
    await shop.app.store.db
      .updateTable('refunds')
      .set({ created_at: Math.floor(Date.now() / 1000) - ageSeconds })
      .where('order_id', '=', id)
      .execute();
    const { refunds } = await shop.app.client(admin).orders.read({ params: { id } });
    return { tradeNo, id, refund: refunds[0] };
  }

  const end = (id: number, refund_id: number, is_paid_back: boolean, as = admin) =>
    shop.app.request(`/api/order/${id}/refund/end`, {
      as,
      body: { refund_id, is_paid_back, reason: 'seen at the provider' },
    });

  test('"it was not paid": of two decisions one counts, and the quota returns once', async () => {
    const user = await shop.app.actor();
    const { tradeNo, id, refund: open } = await openRefund(user, 'unpaid', 600);
    expect(open).toMatchObject({ status: 'pending', can_end: true, amount_minor: 7300, quota: 5_000_000 });
    expect(await balanceOf(shop, user)).toBe(0);
    const replies = await Promise.all([end(id, open?.id ?? 0, false), end(id, open?.id ?? 0, true)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const isReturned = replies[0]?.status === 200;
    expect(await balanceOf(shop, user)).toBe(isReturned ? 5_000_000 : 0);
    expect(await orderRow(shop, tradeNo)).toMatchObject({
      status: isReturned ? 'paid' : 'refunded',
      refunded_minor: isReturned ? 0 : 7300,
    });
    expect((await end(id, open?.id ?? 0, false)).body.code).toBe('refund_not_endable');
    expect(await breaches(shop)).toEqual([]);
    const audited = await shop.app.store.db
      .selectFrom('audit')
      .select(['after', 'actor_id'])
      .where('action', '=', 'order.refund_end')
      .where('target', '=', `order:${id}`)
      .execute();
    expect(audited).toHaveLength(1);
    expect(audited[0]?.after).toContain('seen at the provider');
  });

  test('"it was paid": the refund stays in the books and on the receipt', async () => {
    const user = await shop.app.actor();
    const { tradeNo, id, refund: open } = await openRefund(user, 'paid', 600);
    const receipt = () => shop.app.client(user).receipts.own({ params: { trade_no: tradeNo } });
    expect((await receipt()).refunds).toMatchObject([{ amount_minor: 7300, status: 'pending' }]);
    expect((await end(id, open?.id ?? 0, true)).body.data).toMatchObject({ status: 'refunded' });
    expect(await balanceOf(shop, user)).toBe(0);
    expect((await receipt()).refunds).toMatchObject([{ amount_minor: 7300, status: 'done' }]);
    const { events, refunds } = await shop.app.client(admin).orders.read({ params: { id } });
    expect(events.at(-1)).toMatchObject({ kind: 'refund_done' });
    expect(refunds).toMatchObject([{ status: 'done', can_end: false }]);
    expect(await breaches(shop)).toEqual([]);
  });

  test('a refund that may still be running, one of another order, and one that a job repeats are not ended', async () => {
    const user = await shop.app.actor();
    const young = await openRefund(user, 'young', 0);
    expect(young.refund).toMatchObject({ can_end: false });
    expect((await end(young.id, young.refund?.id ?? 0, false)).body.code).toBe('refund_not_endable');
    const old = await openRefund(user, 'old', 600);
    expect((await end(young.id, old.refund?.id ?? 0, false)).status).toBe(404);
    expect((await end(old.id, old.refund?.id ?? 0, false, user)).status).toBe(403);
    await shop.app.store.db
      .updateTable('orders')
      .set({ provider: 'stripe' })
      .where('id', '=', old.id)
      .execute();
    expect((await end(old.id, old.refund?.id ?? 0, false)).body.code).toBe('refund_not_endable');
    await shop.app.store.db
      .updateTable('orders')
      .set({ provider: 'epay' })
      .where('id', '=', old.id)
      .execute();
    expect((await end(old.id, old.refund?.id ?? 0, false)).status).toBe(200);
    expect(await balanceOf(shop, user)).toBe(5_000_000);
  });
});
