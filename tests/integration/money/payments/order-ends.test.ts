// How orders end and how long the provider is asked about them: once by one node, and never against a payment.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { createEgress, type Egress } from '#server/platform/egress/index.ts';
import { createProviders, reconcileOrders, type PaymentParts } from '#server/money/payments/index.ts';
import { ProviderError } from '#server/money/payments/provider.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

forEachDatabase((label) => {
  let shop: Shop;
  let bystanders: Bystanders;
  let user: Actor;
  let egress: Egress;
  beforeAll(async () => {
    shop = await openShop(label);
    bystanders = await standBeside(shop);
    user = await shop.app.actor();
    egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => [shop.epay.url, shop.stripe.url],
    });
  }, 60_000);
  afterEach(() => bystanders.expectUnchanged());
  afterAll(async () => {
    egress.close();
    await shop.close();
  });

  /** One run of the job; `onQuestion` is called before the provider is asked about an order. */
  async function reconcile(onQuestion: (tradeNo: string) => Promise<void> = async () => {}): Promise<void> {
    const { store, settings, ledger, log } = shop.app;
    const providers = createProviders({ settings, egress });
    const byName = (name: string) => {
      const provider = providers.byName(name);
      return (
        provider && {
          ...provider,
          async query(payment: Parameters<typeof provider.query>[0]) {
            await onQuestion(payment.tradeNo);
            return await provider.query(payment);
          },
        }
      );
    };
    const parts: PaymentParts = {
      store,
      settings,
      ledger,
      log,
      providers: { ...providers, byName },
      afterPayment: [],
      afterRefund: [],
    };
    await reconcileOrders(parts, new AbortController().signal);
  }

  const change = (
    tradeNo: string,
    columns: { created_at?: number; next_query_at?: number; expires_at?: number },
  ) => shop.app.store.db.updateTable('orders').set(columns).where('trade_no', '=', tradeNo).execute();

  test('a payment that fails after all at the provider does not take the state of a paid order (M21)', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    const webhook = `${shop.app.url}/api/stripe/webhook`;
    await shop.stripe.notify(webhook, tradeNo);
    const late = await shop.stripe.notify(webhook, tradeNo, 'checkout.session.async_payment_failed');
    expect(late.status).toBe(200);
    expect((await orderRow(shop, tradeNo)).status).toBe('paid');
    await shop.stripe.notify(webhook, tradeNo);
    expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
    expect(await breaches(shop)).toEqual([]);
  });

  test('an order whose late payment fails ends at once, and one that is still being paid does not (M21)', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    const tell = async (type: string) => {
      // The payer is done with the page; the bank is not done with the money.
      const { body, signature } = await shop.stripe.event(type, tradeNo, { status: 'complete' });
      const headers = { 'Stripe-Signature': signature };
      await fetch(`${shop.app.url}/api/stripe/webhook`, { method: 'POST', body, headers });
      return (await orderRow(shop, tradeNo)).status;
    };
    expect(await tell('checkout.session.completed')).toBe('pending');
    expect(await tell('checkout.session.async_payment_failed')).toBe('expired');
    expect(await balanceOf(shop, user)).toBe(before);
    expect(await breaches(shop)).toEqual([]);
  });

  test('a refund that was made here is not reported as one made at the provider (M21)', async () => {
    const admin = await shop.app.actor({ role: ROLE.admin });
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    const webhook = `${shop.app.url}/api/stripe/webhook`;
    await shop.stripe.notify(webhook, tradeNo);
    const { id } = await orderRow(shop, tradeNo);
    const body = { reason: 'asked', amount_minor: 400, at_provider: true, request_id: 'own-refund' };
    await shop.app.client(admin).orders.refund({ params: { id }, body });
    const tell = async (amount_refunded: number) => {
      const charge = { object: 'charge', amount_refunded, metadata: { trade_no: tradeNo } };
      const { body: text, signature } = await shop.stripe.event('charge.refunded', tradeNo, charge);
      await fetch(webhook, { method: 'POST', body: text, headers: { 'Stripe-Signature': signature } });
      const { events } = await shop.app.client(admin).orders.read({ params: { id } });
      return events.filter(({ kind }) => kind === 'refunded_outside').length;
    };
    expect(await tell(400)).toBe(0);
    expect(await tell(401)).toBe(1);
  });

  test('an order that another node has taken meanwhile is not asked about again (M21)', async () => {
    const placed = [await order(shop, user), await order(shop, user)].map(({ tradeNo }) => tradeNo);
    for (const [index, tradeNo] of placed.entries()) await change(tradeNo, { next_query_at: 1 + index });
    const asked: string[] = [];
    const note = async (tradeNo: string) => void asked.push(tradeNo);
    await reconcile(async (tradeNo) => {
      await note(tradeNo);
      // The other node runs while this one waits for the answer about its first order.
      if (asked.length === 1) await reconcile(note);
    });
    expect(asked.filter((tradeNo) => placed.includes(tradeNo))).toEqual(placed);
  });

  test('an order whose time is over ends when its provider says that it is not paid, and not while it cannot be asked', async () => {
    const { tradeNo } = await order(shop, user);
    const due = { next_query_at: 1, expires_at: 1 };
    await change(tradeNo, due);
    await reconcile(() => Promise.reject(new ProviderError('the provider does not answer')));
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'pending', queries: 1 });
    await change(tradeNo, due);
    const failed = reconcile(() => Promise.reject(new Error('a fault of the gateway')));
    expect(await failed.catch(String)).toContain('a fault of the gateway');
    await change(tradeNo, due);
    await reconcile();
    expect((await orderRow(shop, tradeNo)).status).toBe('expired');
  });

  test('the provider is asked again and again for two days, and then no more (M21)', async () => {
    const now = Math.floor(Date.now() / 1000);
    const { tradeNo } = await order(shop, user);
    await change(tradeNo, { next_query_at: 1 });
    await reconcile();
    const { next_query_at } = await orderRow(shop, tradeNo);
    expect(next_query_at).toBeGreaterThanOrEqual(now + 30);
    const other = await order(shop, user);
    await change(other.tradeNo, { next_query_at: 1, created_at: now - 2 * 86_400 });
    await reconcile();
    expect(await orderRow(shop, other.tradeNo)).toMatchObject({ next_query_at: 0, queries: 1 });
    const recent = await order(shop, user);
    await change(recent.tradeNo, { next_query_at: 1, created_at: now - 2 * 86_400 + 3600 });
    await reconcile();
    expect((await orderRow(shop, recent.tradeNo)).next_query_at).toBeGreaterThan(now);
  });
});
