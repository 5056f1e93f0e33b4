// Chargebacks: what a dispute freezes, what its end gives back or takes, in whatever order Stripe's events arrive.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import * as fc from 'fast-check';
import { ROLE } from '#contract/access.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import type { StripeDispute } from '#mock/payments/stripe.ts';
import { outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { planFirst, subscriptionRow } from '#tests/integration/money/plans/world.ts';
import { reconcileOrders, createProviders } from '#server/money/payments/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

setDefaultTimeout(240_000);

const quota = 5_000_000;

forEachDatabase((label) => {
  let shop: Shop;
  let bystanders: Bystanders;
  let admin: Actor;
  let serial = 0;
  beforeAll(async () => {
    shop = await openShop(label);
    bystanders = await standBeside(shop);
    admin = await shop.app.actor({ role: ROLE.admin });
  });
  afterEach(() => bystanders.expectUnchanged());
  afterAll(async () => {
    expect(await breaches(shop)).toEqual([]);
    await shop.close();
  });

  const webhook = () => `${shop.app.url}/api/stripe/webhook`;

  async function placed() {
    const payer = await shop.app.actor();
    const { tradeNo } = await order(shop, payer, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    const { id, amount_minor: minor } = await orderRow(shop, tradeNo);
    return { payer, tradeNo, id, minor };
  }
  const pay = (tradeNo: string) => shop.stripe.notify(webhook(), tradeNo);
  async function paid() {
    const it = await placed();
    await pay(it.tradeNo);
    return it;
  }

  async function say(tradeNo: string, type: string, change: Partial<StripeDispute> = {}, created?: number) {
    const dispute = shop.stripe.disputeOf(tradeNo, change);
    const reply = await shop.stripe.send(webhook(), `charge.dispute.${type}`, dispute, created);
    expect(reply.status).toBe(200);
  }
  const spend = (userId: number, amount: number) =>
    shop.app.ledger.debit({
      idem: `spend:${(serial += 1)}`,
      userId,
      amount,
      to: 'world:admin',
      kind: 'admin',
      reference: '',
    });
  const read = (id: number) => shop.app.client(admin).orders.read({ params: { id } });
  const refund = (id: number, amount_minor: number, at_provider = false) =>
    shop.app.request(`/api/order/${id}/refund`, {
      as: admin,
      body: { reason: 'asked', amount_minor, at_provider, request_id: `dispute-refund-${(serial += 1)}` },
    });
  async function noticesOf(event: string, tradeNo: string) {
    const rows = await shop.app.store.db
      .selectFrom('notices')
      .selectAll()
      .where('event', '=', event)
      .orderBy('id')
      .execute();
    return rows
      .map(({ user_id, details }) => ({
        user_id,
        ...(JSON.parse(details) as { order: string; status: string }),
      }))
      .filter(({ order: name }) => name === tradeNo);
  }
  async function runJob(): Promise<void> {
    const { store, settings, ledger, log } = shop.app;
    const egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => [shop.stripe.url],
    });
    const providers = createProviders({ settings, egress });
    const parts = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
    await reconcileOrders(parts, new AbortController().signal);
    egress.close();
  }

  /** A plan of a million for 3000, bought and paid. */
  async function paidPlan() {
    const plan = await shop.app.client(admin).plans.create({
      body: {
        name: `Disputed ${(serial += 1)}`,
        description: '',
        price_minor: 3000,
        currency: 'USD',
        price_quota: 0,
        duration_unit: 'month',
        duration_count: 1,
        quota: 1_000_000,
        reset: 'monthly',
        models: [],
        group: '',
        on_sale: true,
        limit_per_user: 0,
        sort_order: 0,
      },
    });
    const payer = await shop.app.actor();
    const body = { payment_method: 'stripe' as const, price_minor: 3000 };
    const { trade_no: tradeNo } = await shop.app.client(payer).plans.order({ params: { id: plan.id }, body });
    shop.stripe.pay(tradeNo);
    await pay(tradeNo);
    const [subscription] = (await shop.app.client(payer).plans.own()).subscriptions;
    const planId = subscription?.id ?? 0;
    return { payer, tradeNo, planId };
  }

  test('a dispute freezes what is left, is shown on the order, and one that is won gives it back (M15)', async () => {
    const { payer, tradeNo, id, minor } = await paid();
    await spend(payer.id, 2_000_000);
    for (const type of ['created', 'updated', 'funds_withdrawn', 'created']) await say(tradeNo, type);
    expect(await balanceOf(shop, payer)).toBe(0);
    expect(await read(id)).toMatchObject({
      status: 'paid',
      dispute_status: 'open',
      disputed_minor: minor,
      frozen_quota: 3_000_000,
      lost_quota: 0,
    });
    expect(await noticesOf('order_disputed', tradeNo)).toMatchObject([
      { user_id: payer.id, status: 'open', quota: 3_000_000 },
    ]);
    expect(await noticesOf('payment_disputed', tradeNo)).toMatchObject([
      { user_id: 0, status: 'open', quota: 3_000_000, reason: 'fraudulent' },
    ]);
    expect((await refund(id, 1)).body.code).toBe('refund_too_large');
    for (const type of ['closed', 'funds_reinstated', 'closed']) await say(tradeNo, type, { status: 'won' });
    await say(tradeNo, 'updated', { status: 'under_review' });
    expect(await balanceOf(shop, payer)).toBe(3_000_000);
    const view = await read(id);
    expect(view).toMatchObject({ status: 'paid', dispute_status: 'won', disputed_minor: 0, frozen_quota: 0 });
    const kinds = view.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('dispute'));
    expect(kinds).toEqual(['dispute_opened', 'dispute_won']);
    expect((await noticesOf('order_disputed', tradeNo)).map(({ status }) => status)).toEqual(['open', 'won']);
  });

  test('a dispute that is lost is a refund of the bank; what had been spent is the operator’s loss (M15)', async () => {
    const { payer, tradeNo, id, minor } = await paid();
    await spend(payer.id, 1_200_000);
    await say(tradeNo, 'created');
    for (let times = 0; times < 2; times += 1) await say(tradeNo, 'closed', { status: 'lost' });
    expect(await balanceOf(shop, payer)).toBe(0);
    expect(await read(id)).toMatchObject({
      status: 'refunded',
      dispute_status: 'lost',
      refunded_minor: minor,
      refunded_quota: 3_800_000,
      lost_quota: 1_200_000,
      frozen_quota: 0,
      refunds: [{ status: 'done', amount_minor: minor, quota: 3_800_000, reason: 'fraudulent' }],
    });
    expect(await noticesOf('payment_disputed', tradeNo)).toMatchObject([
      { status: 'open' },
      { status: 'lost', quota: 3_800_000, lost: 1_200_000 },
    ]);
  });

  test('a loss that an appeal wins gives everything back (M15)', async () => {
    const { payer, tradeNo, id } = await paid();
    await spend(payer.id, 1_200_000);
    await say(tradeNo, 'closed', { status: 'lost' }, 100);
    await say(tradeNo, 'updated', { status: 'appeal_under_review' }, 200);
    expect(await balanceOf(shop, payer)).toBe(0);
    await say(tradeNo, 'closed', { status: 'won' }, 300);
    await say(tradeNo, 'closed', { status: 'lost' }, 100);
    expect(await balanceOf(shop, payer)).toBe(3_800_000);
    expect(await read(id)).toMatchObject({
      status: 'paid',
      refunded_minor: 0,
      refunded_quota: 0,
      lost_quota: 0,
    });
  });

  test('an inquiry that the bank closes gives back what it froze; only a part may be claimed (M15)', async () => {
    const { payer, tradeNo, id, minor } = await paid();
    const part = Math.floor(minor / 2);
    await say(tradeNo, 'created', { status: 'warning_needs_response', amount: part });
    const { frozen_quota } = await read(id);
    expect(frozen_quota).toBe(Math.floor((quota * part) / minor));
    expect((await refund(id, minor - part)).body.success).toBe(true);
    expect(await balanceOf(shop, payer)).toBe(0);
    await say(tradeNo, 'closed', { status: 'warning_closed', amount: part });
    expect(await balanceOf(shop, payer)).toBe(frozen_quota);
    expect((await refund(id, part)).body.success).toBe(true);
    expect(await read(id)).toMatchObject({ status: 'refunded', refunded_quota: quota });
  });

  test('a dispute that was prevented gives back what it froze (M21)', async () => {
    const { payer, tradeNo, id } = await paid();
    await say(tradeNo, 'created');
    expect(await balanceOf(shop, payer)).toBe(0);
    await say(tradeNo, 'closed', { status: 'prevented' });
    expect(await balanceOf(shop, payer)).toBe(quota);
    expect(await read(id)).toMatchObject({ dispute_status: 'won', frozen_quota: 0 });
  });

  test('an appeal that wins gives back what the bank took, and no ordinary refund (M21)', async () => {
    const { payer, tradeNo, id } = await paid();
    expect((await refund(id, 1)).body.success).toBe(true);
    const left = await balanceOf(shop, payer);
    expect(left).toBeLessThan(quota);
    await say(tradeNo, 'closed', { status: 'lost' }, 100);
    expect(await balanceOf(shop, payer)).toBe(0);
    await say(tradeNo, 'closed', { status: 'won' }, 200);
    expect(await balanceOf(shop, payer)).toBe(left);
    expect(await read(id)).toMatchObject({
      refunded_minor: 1,
      refunded_quota: quota - left,
      refunds: [{ status: 'done', amount_minor: 1 }, { status: 'failed' }],
    });
  });

  test('what running calls hold is not frozen; what they leave over is, but no money that came later (M15)', async () => {
    const { payer, tradeNo, id } = await paid();
    const call = await reserve(shop.app.ledger, payer.id, 0, 4_000_000);
    expect(call.admission.ok).toBe(true);
    await say(tradeNo, 'created');
    expect((await read(id)).frozen_quota).toBe(1_000_000);
    await shop.app.ledger.settle(call.requestId, outcome(500_000, { log: null }));
    const later = {
      idem: `later:${tradeNo}`,
      userId: payer.id,
      amount: 100_000,
      kind: 'admin',
      reference: '',
    };
    await shop.app.ledger.credit({ ...later, from: 'world:admin' });
    for (let times = 0; times < 2; times += 1) {
      await runJob();
      expect((await read(id)).frozen_quota).toBe(4_500_000);
      expect(await balanceOf(shop, payer)).toBe(100_000);
    }
    await say(tradeNo, 'closed', { status: 'lost' });
    expect(await read(id)).toMatchObject({ refunded_quota: 4_500_000, lost_quota: 500_000 });
    expect(await balanceOf(shop, payer)).toBe(100_000);
  });

  test('no more is frozen than the order’s quota, whatever running calls leave over (M21)', async () => {
    const { payer, tradeNo, id } = await paid();
    const other = { idem: `other:${tradeNo}`, userId: payer.id, amount: 1_000_000, kind: 'admin' };
    await shop.app.ledger.credit({ ...other, from: 'world:admin', reference: '' });
    const call = await reserve(shop.app.ledger, payer.id, 0, 1_500_000);
    expect(call.admission.ok).toBe(true);
    await say(tradeNo, 'created');
    expect((await read(id)).frozen_quota).toBe(4_500_000);
    await shop.app.ledger.release(call.requestId);
    await runJob();
    expect((await read(id)).frozen_quota).toBe(5_000_000);
    expect(await balanceOf(shop, payer)).toBe(1_000_000);
  });

  test('a dispute of a plan ends it; won, it is as it was; lost, its use is the loss (M15)', async () => {
    const { payer, tradeNo, planId } = await paidPlan();
    const used = await reserve(shop.app.ledger, payer.id, 0, 300_000, planFirst(planId));
    await shop.app.ledger.settle(used.requestId, outcome(300_000, { log: null }));
    const running = await reserve(shop.app.ledger, payer.id, 0, 200_000, planFirst(planId));
    await say(tradeNo, 'created', {}, 10);
    const row = () => subscriptionRow(shop.app.store, planId);
    expect(await row()).toMatchObject({ status: 'ended', quota: 200_000, held: 200_000 });
    await shop.app.ledger.settle(running.requestId, outcome(50_000, { log: null }));
    await say(tradeNo, 'closed', { status: 'won' }, 20);
    expect(await row()).toMatchObject({ status: 'active', quota: 650_000, held: 0 });
    await say(tradeNo, 'closed', { status: 'lost' }, 30);
    expect(await row()).toMatchObject({ status: 'ended', quota: 0 });
    const { id } = await orderRow(shop, tradeNo);
    expect(await read(id)).toMatchObject({ status: 'refunded', refunded_quota: 0, lost_quota: 350_000 });
    expect((await shop.app.client(payer).plans.own()).subscriptions).toMatchObject([
      { end_reason: 'dispute' },
    ]);
  });

  test('the use of a plan whose price is claimed in two parts is lost once (M21)', async () => {
    const { payer, tradeNo, planId } = await paidPlan();
    const used = await reserve(shop.app.ledger, payer.id, 0, 300_000, planFirst(planId));
    await shop.app.ledger.settle(used.requestId, outcome(300_000, { log: null }));
    await say(tradeNo, 'closed', { status: 'lost', amount: 1000 }, 10);
    const { id } = await orderRow(shop, tradeNo);
    expect(await read(id)).toMatchObject({ refunded_minor: 1000, lost_quota: 300_000 });
    await say(tradeNo, 'updated', { status: 'lost', amount: 3000 }, 20);
    expect(await read(id)).toMatchObject({ refunded_minor: 3000, lost_quota: 300_000 });
  });

  test('a loss of a part that is told a second time takes nothing more', async () => {
    const { tradeNo, id } = await paid();
    for (const at of [10, 20, 30]) {
      await say(tradeNo, 'closed', { status: 'lost', amount: 200 }, at);
      expect(await read(id)).toMatchObject({ refunded_minor: 200, disputed_minor: 0 });
    }
  });

  test('what a running call holds of a plan is not lost before the call is charged (M21)', async () => {
    const { payer, tradeNo, planId } = await paidPlan();
    const used = await reserve(shop.app.ledger, payer.id, 0, 300_000, planFirst(planId));
    await shop.app.ledger.settle(used.requestId, outcome(300_000, { log: null }));
    const running = await reserve(shop.app.ledger, payer.id, 0, 200_000, planFirst(planId));
    await say(tradeNo, 'closed', { status: 'lost' });
    const { id } = await orderRow(shop, tradeNo);
    expect(await read(id)).toMatchObject({ refunded_minor: 3000, lost_quota: 300_000 });
    await shop.app.ledger.release(running.requestId);
  });

  test('each of several disputes of an order is booked; the order shows the open one, then the lost one (M21)', async () => {
    const { tradeNo } = await paid();
    const second = { id: `${shop.stripe.disputeOf(tradeNo).id}_second`, amount: 200 };
    const expectOrder = async (columns: object) =>
      expect(await orderRow(shop, tradeNo)).toMatchObject(columns);
    await say(tradeNo, 'created', { amount: 300 }, 10);
    await say(tradeNo, 'created', second, 11);
    await expectOrder({ disputed_minor: 500, refunded_minor: 0, dispute_status: 'open' });
    await say(tradeNo, 'closed', { status: 'won', amount: 300 }, 20);
    await expectOrder({ disputed_minor: 200, refunded_minor: 0, dispute_status: 'open' });
    await say(tradeNo, 'closed', { ...second, status: 'lost' }, 21);
    await expectOrder({ disputed_minor: 0, refunded_minor: 200, dispute_status: 'lost' });
  });

  test('a refund that fails does not open a plan again while a bank claims its price (M21)', async () => {
    const { tradeNo, planId } = await paidPlan();
    const { id } = await orderRow(shop, tradeNo);
    shop.stripe.refundAnswer = 'pends';
    expect((await refund(id, 1000, true)).body.success).toBe(true);
    shop.stripe.refundAnswer = 'pays';
    const made = shop.stripe.made.at(-1);
    await say(tradeNo, 'created', { amount: 2000 }, 10);
    await shop.stripe.send(webhook(), 'refund.failed', { ...made, status: 'failed' });
    expect(await read(id)).toMatchObject({ refunded_minor: 0, disputed_minor: 2000 });
    const row = () => subscriptionRow(shop.app.store, planId);
    expect(await row()).toMatchObject({ status: 'ended', quota: 0 });
    await say(tradeNo, 'closed', { status: 'won', amount: 2000 }, 20);
    expect(await row()).toMatchObject({ status: 'active', quota: 1_000_000 });
  });

  test('a refund in Stripe’s console is noted although a bank took as much before (M21)', async () => {
    const { tradeNo, id, minor } = await paid();
    await say(tradeNo, 'closed', { status: 'lost', amount: minor / 2 });
    const charge = { object: 'charge', amount_refunded: minor / 2, metadata: { trade_no: tradeNo } };
    expect((await shop.stripe.send(webhook(), 'charge.refunded', charge)).status).toBe(200);
    const { events } = await read(id);
    expect(events.filter(({ kind }) => kind === 'refunded_outside')).toHaveLength(1);
  });

  test('of two ends in the same second the loss counts, whichever arrives last (M21)', async () => {
    for (const ends of [
      ['lost', 'won'],
      ['won', 'lost'],
    ] as const) {
      const { payer, tradeNo, id } = await paid();
      for (const status of ends) await say(tradeNo, 'closed', { status }, 100);
      expect(await read(id)).toMatchObject({ dispute_status: 'lost', refunded_quota: quota });
      expect(await balanceOf(shop, payer)).toBe(0);
    }
  });

  test('a claim in another currency than the order’s may be of all of it (M21)', async () => {
    const { payer, tradeNo, id, minor } = await paid();
    await say(tradeNo, 'created', { currency: 'eur', amount: 1 });
    expect(await read(id)).toMatchObject({ disputed_minor: minor, frozen_quota: quota });
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  test('a refund of what a lost dispute left takes back neither what the bank took nor what was lost (M21)', async () => {
    const { payer, tradeNo, id, minor } = await paid();
    await spend(payer.id, 4_000_000);
    const part = minor / 2;
    await say(tradeNo, 'closed', { status: 'lost', amount: part });
    expect(await read(id)).toMatchObject({ refunded_quota: 1_000_000, lost_quota: 1_500_000 });
    const later = { idem: `later:${tradeNo}`, userId: payer.id, kind: 'admin', reference: '' };
    await shop.app.ledger.credit({ ...later, amount: 5_000_000, from: 'world:admin' });
    expect((await refund(id, minor - part)).body.success).toBe(true);
    expect(await read(id)).toMatchObject({ refunded_quota: 3_500_000, lost_quota: 1_500_000 });
    expect(await balanceOf(shop, payer)).toBe(2_500_000);
  });

  test('a dispute of a payment without an order is accepted, and the operators are alerted once (M15)', async () => {
    const { tradeNo } = await paid();
    for (let times = 0; times < 2; times += 1)
      await say(tradeNo, 'created', { id: `du_unknown_${label}`, payment_intent: 'pi_unknown' });
    const alerts = await shop.app.store.db
      .selectFrom('notices')
      .select('details')
      .where('event', '=', 'payment_alert')
      .execute();
    expect(alerts.filter(({ details }) => details.includes(`du_unknown_${label}`))).toHaveLength(1);
    expect((await orderRow(shop, tradeNo)).dispute_status).toBe('');
  });

  test('a dispute that Stripe must be asked about waits until Stripe answers (M15)', async () => {
    const { tradeNo, payer, id } = await paid();
    // As an order of before the payment's number was kept.
    await shop.app.store.db
      .updateTable('orders')
      .set({ payment_reference: '' })
      .where('id', '=', id)
      .execute();
    await shop.app.settings.set('StripeAddress', 'http://127.0.0.1:9', 0);
    const dispute = shop.stripe.disputeOf(tradeNo);
    const early = await shop.stripe.send(webhook(), 'charge.dispute.created', dispute);
    await shop.app.settings.set('StripeAddress', shop.stripe.url, 0);
    expect(early.status).toBe(400);
    await say(tradeNo, 'created');
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  const steps = fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('dispute' as const),
          type: fc.constantFrom('created', 'updated', 'funds_withdrawn', 'funds_reinstated', 'closed'),
          status: fc.constantFrom(
            'needs_response',
            'under_review',
            'warning_closed',
            'won',
            'lost',
            'appeal_under_review',
          ),
          at: fc.integer({ min: 1, max: 6 }),
          part: fc.constantFrom(1, 2, 3),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay' as const) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('spend' as const),
          amount: fc.integer({ min: 1, max: 2_000_000 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('refund' as const),
          amount: fc.integer({ min: 1, max: 300 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('refundEvent' as const),
          index: fc.nat(3),
          status: fc.constantFrom('succeeded', 'failed'),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('hold' as const),
          amount: fc.integer({ min: 1, max: 3_000_000 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('settle' as const),
          part: fc.integer({ min: 0, max: 100 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('job' as const) }) },
    ),
    { minLength: 3, maxLength: 18 },
  );

  test('whatever the order of payment, disputes, refunds and calls, the books agree with what the bank said last (M15)', async () => {
    shop.stripe.refundAnswer = 'pends';
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { payer, tradeNo, id, minor } = await placed();
        const extra = 700_000;
        await shop.app.ledger.credit({
          idem: `extra:${tradeNo}`,
          userId: payer.id,
          amount: extra,
          from: 'world:admin',
          kind: 'admin',
          reference: '',
        });
        let spent = 0;
        let isPaid = false;
        let claimed = 0;
        let decided: { state: 'won' | 'lost'; at: number } | undefined;
        const calls: { requestId: string; amount: number }[] = [];
        const requests: string[] = [];
        const settle = async (part: number) => {
          const call = calls.pop();
          if (call === undefined) return;
          const charge = Math.floor((call.amount * part) / 100);
          spent += charge;
          await shop.app.ledger.settle(call.requestId, outcome(charge, { log: null }));
        };
        for (const step of [...sequence, { kind: 'pay' as const }]) {
          if (step.kind === 'dispute') {
            const amount = Math.floor(minor / step.part);
            claimed = Math.max(claimed, amount);
            await say(tradeNo, step.type, { status: step.status, amount }, step.at);
            const state = ['won', 'warning_closed'].includes(step.status)
              ? 'won'
              : ['lost', 'appeal_under_review'].includes(step.status)
                ? 'lost'
                : undefined;
            const isLater =
              decided === undefined || step.at > decided.at || (step.at === decided.at && state === 'lost');
            if (state !== undefined && isLater) decided = { state, at: step.at };
          } else if (step.kind === 'pay') {
            await pay(tradeNo);
            isPaid = true;
          } else if (step.kind === 'spend') {
            const { quota: balance, held_quota } = await userRow(payer);
            const amount = Math.min(step.amount, balance - held_quota);
            if (amount > 0) await spend(payer.id, amount);
            spent += amount;
          } else if (step.kind === 'refund') {
            if (isPaid && (await refund(id, step.amount, true)).body.success)
              requests.push(`dispute-refund-${serial}`);
          } else if (step.kind === 'refundEvent') {
            const made = shop.stripe.made.find(
              ({ metadata }) => metadata?.['request_id'] === requests[step.index],
            );
            if (made !== undefined)
              await shop.stripe.send(webhook(), 'refund.updated', { ...made, status: step.status });
          } else if (step.kind === 'hold') {
            const { requestId, admission } = await reserve(shop.app.ledger, payer.id, 0, step.amount);
            if (admission.ok) calls.push({ requestId, amount: step.amount });
          } else if (step.kind === 'settle') await settle(step.part);
          else await runJob();
        }
        while (calls.length > 0) await settle(50);
        await runJob();

        const row = await orderRow(shop, tradeNo);
        const isDisputed = claimed > 0;
        const status = isDisputed ? (decided?.state ?? 'open') : '';
        expect(row.dispute_status).toBe(status);
        // Every unit is in the balance, spent, refunded or frozen.
        expect((await userRow(payer)).quota).toBe(
          quota + extra - spent - row.refunded_quota - row.frozen_quota,
        );
        expect(row.frozen_quota).toBeLessThanOrEqual(row.disputed_quota);
        const dispute = shop.stripe.disputeOf(tradeNo).id;
        const rows = await shop.app.store.db
          .selectFrom('refunds')
          .selectAll()
          .where('order_id', '=', id)
          .execute();
        const banks = rows.filter(
          ({ provider_reference, status: ended }) => provider_reference === dispute && ended === 'done',
        );
        const others = rows.filter(
          ({ request_id, status: ended }) => !request_id.startsWith('dispute:') && ended !== 'failed',
        );
        const sum = (list: typeof rows, name: 'amount_minor' | 'quota') =>
          list.reduce((total, each) => total + each[name], 0);
        const claimable = Math.min(claimed, minor - sum(others, 'amount_minor'));
        expect({
          disputed: row.disputed_minor,
          byBank: sum(banks, 'amount_minor'),
        }).toEqual({
          disputed: status === 'open' ? claimable : 0,
          byBank: status === 'lost' ? claimable : 0,
        });
        if (status !== 'lost') expect(row.lost_quota).toBe(0);
        if (row.refunded_minor === minor) expect(row.refunded_quota + row.lost_quota).toBe(quota);
      }),
      { numRuns: 15 },
    );
    expect(await breaches(shop)).toEqual([]);
  });

  async function userRow({ id }: Actor) {
    return await shop.app.store.db
      .selectFrom('users')
      .select(['quota', 'held_quota'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }
});
