// What happens to orders besides their callback: questions to the provider, completion by hand, refunds.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { createProviders, reconcileOrders } from '#server/money/payments/index.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

forEachDatabase((label) => {
  let shop: Shop;
  let bystanders: Bystanders;
  let user: Actor;
  let admin: Actor;
  beforeAll(async () => {
    shop = await openShop(label);
    bystanders = await standBeside(shop);
    user = await shop.app.actor();
    admin = await shop.app.actor({ role: ROLE.admin });
  }, 60_000);
  afterEach(() => bystanders.expectUnchanged());
  afterAll(() => shop.close());

  async function due(tradeNo: string): Promise<void> {
    await shop.app.store.db
      .updateTable('orders')
      .set({ next_query_at: 1 })
      .where('trade_no', '=', tradeNo)
      .execute();
  }

  async function reconcile(): Promise<void> {
    const { store, settings, ledger, log } = shop.app;
    const egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => [shop.epay.url, shop.stripe.url],
    });
    const providers = createProviders({ settings, egress });
    await reconcileOrders(
      { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] },
      new AbortController().signal,
    );
    egress.close();
  }

  const refund = async (tradeNo: string, body: object) => {
    const { id } = await orderRow(shop, tradeNo);
    return await shop.app.request(`/api/order/${id}/refund`, {
      as: admin,
      body: { reason: 'asked for', at_provider: true, ...body },
    });
  };

  test.each(['zfb', 'stripe'])('a lost callback of %s is found by asking', async (method) => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user, { method });
    if (method === 'zfb') shop.epay.pay(tradeNo);
    else shop.stripe.pay(tradeNo);
    await due(tradeNo);
    await Promise.all([reconcile(), reconcile()]);
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid', next_query_at: 0 });
    expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
  });

  test('an order that was not paid in time expires, and a late payment is still found', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user);
    await shop.app.store.db
      .updateTable('orders')
      .set({ expires_at: 5 })
      .where('trade_no', '=', tradeNo)
      .execute();
    await due(tradeNo);
    await reconcile();
    expect((await orderRow(shop, tradeNo)).status).toBe('expired');
    shop.epay.pay(tradeNo);
    await due(tradeNo);
    await reconcile();
    expect((await orderRow(shop, tradeNo)).status).toBe('paid');
    expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
  });

  test('a provider that does not answer ends no order', async () => {
    const { tradeNo } = await order(shop, user);
    await shop.app.store.db
      .updateTable('orders')
      .set({ expires_at: 5 })
      .where('trade_no', '=', tradeNo)
      .execute();
    await due(tradeNo);
    await shop.app.settings.set('PayAddress', 'http://127.0.0.1:9', 0);
    await reconcile();
    await shop.app.settings.set('PayAddress', shop.epay.url, 0);
    const row = await orderRow(shop, tradeNo);
    expect(row.status).toBe('pending');
    expect(row.next_query_at).toBeGreaterThan(5);
  });

  test('an administrator completes an order once, with audit and events', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user);
    const { id } = await orderRow(shop, tradeNo);
    const complete = () =>
      shop.app.request(`/api/order/${id}/complete`, { as: admin, body: { reason: 'seen in the bank' } });
    const replies = await Promise.all([complete(), complete(), shop.epay.notify(tradeNo)]);
    expect(replies[2]).toBe('success');
    expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
    expect((await complete()).body.code).toBe('order_not_payable');
    const view = await shop.app.client(admin).orders.read({ params: { id } });
    expect(view.events.filter((event) => event.kind === 'credited')).toHaveLength(1);
    expect(view).toMatchObject({ status: 'paid', username: user.username });
  });

  test('an administrator completes an order whose time is over', async () => {
    const late = await shop.app.actor();
    const { tradeNo } = await order(shop, late);
    const expire = shop.app.store.db.updateTable('orders').set({ status: 'expired' });
    await expire.where('trade_no', '=', tradeNo).execute();
    const { id } = await orderRow(shop, tradeNo);
    const reply = await shop.app.request(`/api/order/${id}/complete`, {
      as: admin,
      body: { reason: 'seen' },
    });
    expect(reply.body.success).toBe(true);
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid' });
    expect(await balanceOf(shop, late)).toBe(5_000_000);
  });

  test('completion and refund need a fresh sign-in and an administrator', async () => {
    const { tradeNo } = await order(shop, user);
    const { id } = await orderRow(shop, tradeNo);
    const body = { reason: 'x' };
    expect((await shop.app.request(`/api/order/${id}/complete`, { as: user, body })).status).toBe(403);
    const stale = await shop.app.actor({ role: ROLE.admin });
    await shop.app.store.db
      .updateTable('sessions')
      .set({ verified_at: 5 })
      .where('user_id', '=', stale.id)
      .execute();
    for (const action of ['complete', 'refund'])
      expect((await shop.app.request(`/api/order/${id}/${action}`, { as: stale, body })).body.code).toBe(
        'step_up_required',
      );
  });

  test.each(['zfb', 'stripe'])(
    '%s: a callback that cannot be booked, for whatever reason, is answered so that it comes again (M24)',
    async (method) => {
      const payer = await shop.app.actor();
      const { tradeNo } = await order(shop, payer, { method });
      if (method === 'stripe') shop.stripe.pay(tradeNo);
      const call = async () => {
        if (method === 'zfb') return await shop.epay.notify(tradeNo);
        const answer = await shop.stripe.notify(`${shop.app.url}/api/stripe/webhook`, tradeNo);
        return `${answer.status} ${await answer.text()}`;
      };
      const [failed, done] =
        method === 'zfb' ? ['fail', 'success'] : ['400 {"received":false}', '200 {"received":true}'];
      const { schema } = shop.app.store.db;
      await schema.alterTable('order_events').renameTo('order_events_away').execute();
      try {
        expect(await call()).toBe(failed);
      } finally {
        await schema.alterTable('order_events_away').renameTo('order_events').execute();
      }
      expect(await balanceOf(shop, payer)).toBe(0);
      expect(await call()).toBe(done);
      expect(await balanceOf(shop, payer)).toBe(5_000_000);
      expect(await breaches(shop)).toEqual([]);
    },
  );

  test.each(['zfb', 'stripe'])(
    '%s: parts and the rest of an order are refunded to the unit',
    async (method) => {
      const payer = await shop.app.actor();
      const { tradeNo } = await order(shop, payer, { method });
      if (method === 'zfb') await shop.epay.notify(tradeNo);
      else {
        shop.stripe.pay(tradeNo);
        await shop.stripe.notify(`${shop.app.url}/api/stripe/webhook`, tradeNo);
      }
      const { amount_minor } = await orderRow(shop, tradeNo);
      const part = Math.floor(amount_minor / 3);
      const first = await refund(tradeNo, { amount_minor: part, request_id: `${method}-part-1` });
      expect(first.body).toMatchObject({ success: true, data: { status: 'paid', refunded_minor: part } });
      const again = await refund(tradeNo, { amount_minor: part, request_id: `${method}-part-1` });
      expect(again.body).toMatchObject({ success: true, data: { refunded_minor: part } });
      const tooMuch = await refund(tradeNo, { amount_minor, request_id: `${method}-too-much` });
      expect(tooMuch.body).toMatchObject({ success: false, code: 'refund_too_large', field: 'amount_minor' });
      const rest = await refund(tradeNo, {
        amount_minor: amount_minor - part,
        request_id: `${method}-rest-1`,
      });
      expect(rest.body).toMatchObject({
        success: true,
        data: { status: 'refunded', refunded_quota: 5_000_000 },
      });
      // The payer has it all: each part was asked for once.
      const paidBack =
        method === 'zfb'
          ? (shop.epay.orders.get(tradeNo)?.refunded ?? 0)
          : shop.stripe.made
              .filter(({ metadata }) => metadata?.['trade_no'] === tradeNo)
              .reduce((sum, { amount }) => sum + amount, 0);
      expect(paidBack).toBe(amount_minor);
      expect(await balanceOf(shop, payer)).toBe(0);
      expect(await breaches(shop)).toEqual([]);
    },
  );

  test('a refund takes no more than the balance has', async () => {
    const payer = await shop.app.actor();
    const { tradeNo } = await order(shop, payer);
    await shop.epay.notify(tradeNo);
    await shop.app.ledger.debit({
      idem: `spend:${tradeNo}`,
      userId: payer.id,
      amount: 4_999_999,
      to: 'world:admin',
      kind: 'admin',
      reference: '',
    });
    const reply = await refund(tradeNo, { amount_minor: 7300, request_id: 'short-refund' });
    expect(reply.body).toMatchObject({ success: false, code: 'refund_quota_short' });
    expect(await balanceOf(shop, payer)).toBe(1);
    expect((await orderRow(shop, tradeNo)).refunded_minor).toBe(0);
    expect(shop.epay.orders.get(tradeNo)?.refunded).toBe(0);
  });

  test.each(['zfb', 'stripe'])(
    '%s: a refused refund gives the quota back; an unknown one stays open',
    async (method) => {
      const provider = method === 'zfb' ? shop.epay : shop.stripe;
      const payer = await shop.app.actor();
      const { tradeNo } = await order(shop, payer, { method });
      if (method === 'zfb') await shop.epay.notify(tradeNo);
      else {
        shop.stripe.pay(tradeNo);
        await shop.stripe.notify(`${shop.app.url}/api/stripe/webhook`, tradeNo);
      }
      const { amount_minor } = await orderRow(shop, tradeNo);
      provider.refundAnswer = 'refuses';
      const refused = await refund(tradeNo, { amount_minor, request_id: `${method}-refused` });
      expect(refused.body.code).toBe('refund_failed');
      expect(await balanceOf(shop, payer)).toBe(5_000_000);
      expect(await orderRow(shop, tradeNo)).toMatchObject({
        status: 'paid',
        refunded_minor: 0,
        refunded_quota: 0,
      });

      provider.refundAnswer = 'breaks';
      const open = await refund(tradeNo, { amount_minor, request_id: `${method}-unknown` });
      expect(open.body.success).toBe(true);
      expect(await balanceOf(shop, payer)).toBe(0);
      provider.refundAnswer = 'pays';
      // The administrator sends the same refund again: only Stripe recognises the repetition.
      await refund(tradeNo, { amount_minor, request_id: `${method}-unknown` });
      if (method === 'zfb') expect(shop.epay.orders.get(tradeNo)?.refunded).toBe(0);
      await shop.app.store.db
        .updateTable('refunds')
        .set({ created_at: 5 })
        .where('status', '=', 'pending')
        .execute();
      await reconcile();
      const { status } = await shop.app.store.db
        .selectFrom('refunds')
        .select('status')
        .where('request_id', '=', `${method}-unknown`)
        .executeTakeFirstOrThrow();
      // Epay would pay twice: an administrator decides.
      expect(status).toBe(method === 'stripe' ? 'done' : 'pending');
      if (method === 'stripe') expect([...shop.stripe.refunds.keys()]).toContain('refund:stripe-unknown');
      expect(await breaches(shop)).toEqual([]);
    },
  );

  test('a refund in Stripe’s own console is noted for the operator', async () => {
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    await shop.stripe.notify(`${shop.app.url}/api/stripe/webhook`, tradeNo);
    const { body, signature } = await shop.stripe.event('charge.refunded', tradeNo, {
      object: 'charge',
      amount_refunded: 1000,
      metadata: { trade_no: tradeNo },
    });
    const reply = await fetch(`${shop.app.url}/api/stripe/webhook`, {
      method: 'POST',
      body,
      headers: { 'Stripe-Signature': signature },
    });
    expect(reply.status).toBe(200);
    const { id } = await orderRow(shop, tradeNo);
    const view = await shop.app.client(admin).orders.read({ params: { id } });
    expect(view.events.at(-1)).toMatchObject({ kind: 'refunded_outside', detail: '1000' });
  });

  test('the list filters and sums over the whole filter', async () => {
    const client = (as: Actor) => shop.app.client(as);
    const all = await client(admin).orders.list({ query: { page_size: '5' } });
    expect(all.items).toHaveLength(5);
    const mine = await client(admin).orders.list({ query: { keyword: user.username, status: 'paid' } });
    expect(new Set(mine.items.map((item) => item.user_id))).toEqual(new Set([user.id]));
    const cny = mine.paid.find((sum) => sum.currency === 'CNY');
    const rows = await shop.app.store.db
      .selectFrom('orders')
      .select('amount_minor')
      .where('user_id', '=', user.id)
      .where('status', '=', 'paid')
      .where('currency', '=', 'CNY')
      .execute();
    expect(cny?.amount_minor).toBe(rows.reduce((sum, row) => sum + row.amount_minor, 0));
    const one = await client(admin).orders.list({ query: { keyword: mine.items[0]!.trade_no } });
    expect(one.total).toBe(1);
  });
});
