// Orders, refunds, disputes and subscriptions of different owners and states beside each other: what happens to one leaves the
// others alone, and none keeps another one waiting.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import {
  createProviders,
  placeOrder,
  planOf,
  reconcileOrders,
  type PaymentParts,
} from '#server/money/payments/index.ts';
import { createEgress, type Egress } from '#server/platform/egress/index.ts';
import type { StripeDispute } from '#mock/payments/stripe.ts';
import { outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { planFields } from '#tests/integration/money/plans/world.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { restJob } from '#tests/support/jobs.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

setDefaultTimeout(120_000);

const quota = 5_000_000;
/** Rows that a job takes in one run. */
const perRun = 100;

forEachDatabase((label) => {
  let shop: Shop;
  let admin: Actor;
  let bystanders: Bystanders;
  let egress: Egress;
  beforeAll(async () => {
    shop = await openShop(label);
    await restJob(shop.app.store, 'order-reconciliation');
    admin = await shop.app.actor({ role: ROLE.admin });
    egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => [shop.stripe.url],
    });
    bystanders = await standBeside(shop);
  });
  afterEach(() => bystanders.expectUnchanged());
  afterAll(async () => {
    expect(await breaches(shop)).toEqual([]);
    egress.close();
    await shop.close();
  });

  const webhook = () => `${shop.app.url}/api/stripe/webhook`;
  function paymentParts(): PaymentParts {
    const { store, settings, ledger, log } = shop.app;
    const providers = createProviders({ settings, egress });
    return { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
  }
  async function paid() {
    const payer = await shop.app.actor();
    const { tradeNo } = await order(shop, payer, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    await shop.stripe.notify(webhook(), tradeNo);
    const { id, amount_minor: minor } = await orderRow(shop, tradeNo);
    return { payer, tradeNo, id, minor };
  }
  async function dispute(tradeNo: string, status: StripeDispute['status'], at: number) {
    const claim = shop.stripe.disputeOf(tradeNo, { status });
    expect((await shop.stripe.send(webhook(), 'charge.dispute.updated', claim, at)).status).toBe(200);
  }
  const spend = (userId: number, amount: number) =>
    shop.app.ledger.debit({
      idem: `neighbour:${userId}`,
      userId,
      amount,
      to: 'world:admin',
      kind: 'admin',
      reference: '',
    });

  test('a refund in Stripe’s console is noted although as much of another order was refunded here (M21)', async () => {
    const [here, outside] = [await paid(), await paid()];
    const body = { reason: 'asked', amount_minor: 400, at_provider: true, request_id: 'of-the-other-order' };
    await shop.app.client(admin).orders.refund({ params: { id: here.id }, body });
    const charge = { object: 'charge', amount_refunded: 300, metadata: { trade_no: outside.tradeNo } };
    expect((await shop.stripe.send(webhook(), 'charge.refunded', charge)).status).toBe(200);
    const { events } = await shop.app.client(admin).orders.read({ params: { id: outside.id } });
    expect(events.filter(({ kind }) => kind === 'refunded_outside')).toHaveLength(1);
  });

  test('a refund in Stripe’s console is noted although Stripe refused as much of the order before (M21)', async () => {
    const { id, tradeNo } = await paid();
    shop.stripe.refundAnswer = 'refuses';
    const body = { reason: 'asked', amount_minor: 400, at_provider: true, request_id: 'refused-before' };
    const reply = await shop.app.request(`/api/order/${id}/refund`, { as: admin, body });
    shop.stripe.refundAnswer = 'pays';
    expect(reply.body.code).toBe('refund_failed');
    const charge = { object: 'charge', amount_refunded: 300, metadata: { trade_no: tradeNo } };
    expect((await shop.stripe.send(webhook(), 'charge.refunded', charge)).status).toBe(200);
    const { events } = await shop.app.client(admin).orders.read({ params: { id } });
    expect(events.filter(({ kind }) => kind === 'refunded_outside')).toHaveLength(1);
  });

  test('of orders, and of refunds, that are due in the same second, one run asks about each (M21)', async () => {
    const { db } = shop.app.store;
    const placed = [];
    for (let count = 0; count < 2; count += 1) {
      const { tradeNo } = await order(shop, await shop.app.actor(), { method: 'stripe' });
      shop.stripe.pay(tradeNo);
      placed.push(tradeNo);
    }
    await db.updateTable('orders').set({ next_query_at: 1 }).where('trade_no', 'in', placed).execute();
    // As many that have failed as a run takes.
    const { id: order_id, payer } = await paid();
    const failed = Array.from({ length: perRun }, (_, index) => ({
      request_id: `failed-long-ago-${index}`,
      order_id,
      user_id: payer.id,
      created_at: 5,
      amount_minor: 1,
      status: 'failed' as const,
    }));
    await db.insertInto('refunds').values(failed).execute();
    const began = [];
    for (const request_id of ['due-first', 'due-second']) {
      const { id } = await paid();
      shop.stripe.refundAnswer = 'pends';
      const body = { reason: 'asked', amount_minor: 400, at_provider: true, request_id };
      await shop.app.client(admin).orders.refund({ params: { id }, body });
      shop.stripe.refundAnswer = 'pays';
      for (const made of shop.stripe.made.slice(-1)) made.status = 'succeeded';
      began.push(request_id);
    }
    await db.updateTable('refunds').set({ created_at: 5 }).where('request_id', 'in', began).execute();
    await reconcileOrders(paymentParts(), new AbortController().signal);
    await db.deleteFrom('refunds').where('order_id', '=', order_id).execute();
    for (const tradeNo of placed) expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid' });
    const refunds = db.selectFrom('refunds').select('status').where('request_id', 'in', began);
    expect(await refunds.execute()).toEqual([{ status: 'done' }, { status: 'done' }]);
  });

  test('an event of one provider does not end a refund at another (M21)', async () => {
    const payer = await shop.app.actor();
    const { tradeNo } = await order(shop, payer);
    await shop.epay.notify(tradeNo);
    const { id, amount_minor } = await orderRow(shop, tradeNo);
    const request_id = 'at-another-provider';
    shop.epay.refundAnswer = 'breaks';
    const body = { reason: 'asked', amount_minor, at_provider: true, request_id };
    const { refund_status } = await shop.app.client(admin).orders.refund({ params: { id }, body });
    shop.epay.refundAnswer = 'pays';
    expect(refund_status).toBe('pending');
    const failed = { object: 'refund', amount: amount_minor, metadata: { request_id }, status: 'failed' };
    const event = { ...failed, id: 're_of_stripe', payment_intent: 'pi_unknown' };
    expect((await shop.stripe.send(webhook(), 'refund.failed', event)).status).toBe(200);
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'refunded', refunded_quota: quota });
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  test('an event without our id ends the refund that Stripe means, and none of the same amount (M21)', async () => {
    const { payer, id } = await paid();
    const body = { reason: 'asked', amount_minor: 400, at_provider: true, request_id: 'of-the-same-amount' };
    await shop.app.client(admin).orders.refund({ params: { id }, body });
    const failed = { ...shop.stripe.made.at(-1), metadata: {}, status: 'failed' };
    const left = await balanceOf(shop, payer);
    expect(left).toBeLessThan(quota);
    for (const [event, balance] of [
      [{ ...failed, id: 're_of_the_console' }, left],
      [failed, quota],
    ] as const) {
      expect((await shop.stripe.send(webhook(), 'refund.failed', event)).status).toBe(200);
      expect(await balanceOf(shop, payer)).toBe(balance);
    }
  });

  test('the notice of a dispute that is lost again names what the bank took now, not what it gave back before (M21)', async () => {
    const { payer, tradeNo } = await paid();
    await spend(payer.id, 1_200_000);
    for (const [at, status] of (['lost', 'won', 'lost'] as const).entries())
      await dispute(tradeNo, status, 10 + at);
    const notices = await shop.app.store.db
      .selectFrom('notices')
      .select('details')
      .where('event', '=', 'order_disputed')
      .where('user_id', '=', payer.id)
      .orderBy('id')
      .execute();
    expect(notices.map(({ details }) => JSON.parse(details) as object)).toMatchObject([
      { status: 'lost', quota: 3_800_000 },
      { status: 'won', quota: 3_800_000 },
      { status: 'lost', quota: 3_800_000 },
    ]);
  });

  test('what a call leaves over is frozen although more disputes than a run takes wait for nothing (M21)', async () => {
    const old = await paid();
    const rows = Array.from({ length: perRun }, (_, index) => ({
      reference: `du_old_${index}`,
      order_id: old.id,
      user_id: old.payer.id,
      created_at: 1,
      status: 'won' as const,
    }));
    await shop.app.store.db.insertInto('disputes').values(rows).execute();
    const { payer, tradeNo } = await paid();
    const call = await reserve(shop.app.ledger, payer.id, 0, 4_000_000);
    await dispute(tradeNo, 'needs_response', 10);
    expect(await orderRow(shop, tradeNo)).toMatchObject({ frozen_quota: 1_000_000 });
    await shop.app.ledger.settle(call.requestId, outcome(500_000, { log: null }));
    await reconcileOrders(paymentParts(), new AbortController().signal);
    expect(await orderRow(shop, tradeNo)).toMatchObject({ frozen_quota: 4_500_000 });
    expect(await balanceOf(shop, payer)).toBe(0);
    await shop.app.store.db.deleteFrom('disputes').where('order_id', '=', old.id).execute();
  });

  test('an order that is paid before its page is noted keeps the payment that paid it (M21)', async () => {
    const payer = await shop.app.actor();
    const parts = paymentParts();
    const offered = parts.providers.method('stripe');
    if (offered === undefined) throw new Error('Stripe is not offered');
    const begin: typeof offered.provider.begin = async (payment) => {
      const page = await offered.provider.begin(payment);
      shop.stripe.pay(payment.tradeNo);
      await shop.stripe.notify(webhook(), payment.tradeNo);
      return { ...page, reference: 'cs_of_another_page' };
    };
    const method = { ...offered, provider: { ...offered.provider, begin } };
    const { tradeNo } = await placeOrder(
      { ...parts, providers: { ...parts.providers, method: () => method } },
      { id: payer.id, group: 'default' },
      { amount: 10, method: 'stripe', promotion: '' },
    );
    const paidBy = shop.stripe.sessionOf(tradeNo).id;
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid', provider_reference: paidBy });
    expect(await balanceOf(shop, payer)).toBe(quota);
  });

  test('an order that names the subscription of another user starts a term of its own, now (M21)', async () => {
    const plan = await shop.app.client(admin).plans.create({ body: planFields({ currency: 'USD' }) });
    const payer = await shop.app.actor();
    const body = { payment_method: 'stripe', price_minor: plan.price_minor } as const;
    const { trade_no } = await shop.app.client(payer).plans.order({ params: { id: plan.id }, body });
    const { subscriptions } = await shop.app.client(bystanders.customer).plans.own();
    const follows_id = subscriptions.find(({ state }) => state === 'active')?.id;
    expect(follows_id).toBeGreaterThan(0);
    const row = await orderRow(shop, trade_no);
    const detail = JSON.stringify({ ...planOf(row), follows_id });
    await shop.app.store.db.updateTable('orders').set({ detail }).where('id', '=', row.id).execute();
    shop.stripe.pay(trade_no);
    await shop.stripe.notify(webhook(), trade_no);
    const own = (await shop.app.client(payer).plans.own()).subscriptions;
    expect(own).toMatchObject([{ state: 'active', left: plan.quota }]);
  });
});
