// What a refund needs: a paid order, a request id of its own, and one end.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { createProviders, endRefundWithin } from '#server/money/payments/index.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { reserve } from '#tests/integration/money/ledger/world.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

const PAID = 5_000_000;

forEachDatabase((label) => {
  let shop: Shop;
  let bystanders: Bystanders;
  let admin: Actor;
  beforeAll(async () => {
    shop = await openShop(label);
    bystanders = await standBeside(shop);
    admin = await shop.app.actor({ role: ROLE.admin });
  }, 60_000);
  afterEach(async () => {
    await bystanders.expectUnchanged();
    expect(await breaches(shop)).toEqual([]);
  });
  afterAll(() => shop.close());

  const refund = async (tradeNo: string, body: object) => {
    const { id } = await orderRow(shop, tradeNo);
    return await shop.app.request(`/api/order/${id}/refund`, {
      as: admin,
      body: { reason: 'asked for', at_provider: false, ...body },
    });
  };

  async function paidOrder(payer: Actor): Promise<string> {
    const { tradeNo } = await order(shop, payer);
    await shop.epay.notify(tradeNo);
    return tradeNo;
  }

  test('a refund that the balance does not cover names the free balance of the payer, less what calls hold (M21)', async () => {
    const payer = await shop.app.actor({ quota: 1003 });
    const tradeNo = await paidOrder(payer);
    const call = await reserve(shop.app.ledger, payer.id, 0, 2000);
    await shop.app.ledger.writeHolds(payer.id);
    const { body } = await refund(tradeNo, { amount_minor: 7300, request_id: 'more-than-free' });
    expect(body.code).toBe('refund_quota_short');
    expect(body.message).toContain(String(PAID + 1003 - 2000));
    await shop.app.ledger.release(call.requestId);
  });

  test('an order that was never paid, open or expired, is not refunded out of the balance (M21)', async () => {
    const user = await shop.app.actor({ quota: PAID });
    for (const status of ['pending', 'expired'] as const) {
      const { tradeNo } = await order(shop, user);
      await shop.app.store.db.updateTable('orders').set({ status }).where('trade_no', '=', tradeNo).execute();
      const reply = await refund(tradeNo, { amount_minor: 7300, request_id: `unpaid-${status}` });
      expect([status, reply.body.code]).toEqual([status, 'order_not_payable']);
      expect(await orderRow(shop, tradeNo)).toMatchObject({ status, refunded_minor: 0, refunded_quota: 0 });
    }
    expect(await balanceOf(shop, user)).toBe(PAID);
    // One that is refunded in full has nothing left to refund.
    const paid = await paidOrder(user);
    expect((await refund(paid, { amount_minor: 7300, request_id: 'whole-order' })).body.success).toBe(true);
    expect((await refund(paid, { amount_minor: 1, request_id: 'one-more' })).body.code).toBe(
      'order_not_payable',
    );
    expect(await balanceOf(shop, user)).toBe(PAID);
  });

  test('a request id that is used again for another amount or another order is refused, not answered as done (M21)', async () => {
    const user = await shop.app.actor();
    const [first, second] = [await paidOrder(user), await paidOrder(user)];
    const request_id = 'same-request';
    expect((await refund(first, { amount_minor: 1000, request_id })).body.success).toBe(true);
    const balance = await balanceOf(shop, user);
    const others = [
      await refund(first, { amount_minor: 2000, request_id }),
      await refund(second, { amount_minor: 1000, request_id }),
    ];
    for (const { body } of others) {
      expect(body.success).toBe(false);
      expect(body.field ?? body.fields?.[0]?.field).toBe('request_id');
    }
    expect(await balanceOf(shop, user)).toBe(balance);
    expect(await orderRow(shop, first)).toMatchObject({ refunded_minor: 1000 });
    expect(await orderRow(shop, second)).toMatchObject({ refunded_minor: 0 });
  });

  test('the sum of paid orders is what was paid less what was paid back (M21)', async () => {
    const user = await shop.app.actor();
    const [first] = [await paidOrder(user), await paidOrder(user)];
    expect((await refund(first, { amount_minor: 1000, request_id: 'summed-part' })).body.success).toBe(true);
    const { paid } = await shop.app.client(admin).orders.list({ query: { keyword: user.username } });
    expect(paid).toMatchObject([{ currency: 'CNY', amount_minor: 2 * 7300 - 1000 }]);
  });

  test('each part refund takes back its share of the whole order, not of what earlier ones left (M21)', async () => {
    const tradeNo = await paidOrder(await shop.app.actor());
    for (const [index, amount_minor] of [1000, 1000, 2100].entries())
      expect((await refund(tradeNo, { amount_minor, request_id: `part-share-${index}` })).body.success).toBe(
        true,
      );
    const share = (minor: number) => Math.floor((PAID * minor) / 7300);
    expect(await orderRow(shop, tradeNo)).toMatchObject({
      refunded_minor: 4100,
      refunded_quota: share(1000) + share(1000) + share(2100),
    });
  });

  test('a refund that has ended, either way, keeps its end: the quota moves once (M21)', async () => {
    const { store, settings, ledger, log } = shop.app;
    const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
    const providers = createProviders({ settings, egress });
    const parts = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
    for (const isPaidBack of [false, true]) {
      const user = await shop.app.actor();
      const tradeNo = await paidOrder(user);
      shop.epay.refundAnswer = 'breaks';
      const request_id = `ended-${isPaidBack}`;
      await refund(tradeNo, { amount_minor: 7300, request_id, at_provider: true });
      shop.epay.refundAnswer = 'pays';
      const { id } = await store.db
        .selectFrom('refunds')
        .select('id')
        .where('request_id', '=', request_id)
        .executeTakeFirstOrThrow();
      const end = (asPaidBack: boolean) =>
        store.db
          .transaction()
          .execute((transaction) =>
            endRefundWithin(parts, transaction, id, { isPaidBack: asPaidBack, detail: 'an end' }),
          );
      expect(await end(isPaidBack)).toMatchObject({ isEnded: true });
      const status = isPaidBack ? 'done' : 'failed';
      for (const later of [isPaidBack, !isPaidBack])
        expect(await end(later)).toMatchObject({ isEnded: false, refund: { status } });
      expect(await balanceOf(shop, user)).toBe(isPaidBack ? 0 : PAID);
      expect(await orderRow(shop, tradeNo)).toMatchObject({ refunded_minor: isPaidBack ? 7300 : 0 });
    }
    egress.close();
  });
});
