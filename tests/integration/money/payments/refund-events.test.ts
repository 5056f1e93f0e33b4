// What Stripe says about refunds after it was asked for them: pending, paid, failed, in any order and more than once.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import * as fc from 'fast-check';
import { ROLE } from '#contract/access.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { alertOperators } from '#server/money/payments/alert.ts';
import { createProviders, reconcileOrders } from '#server/money/payments/index.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { standBeside, type Bystanders } from './bystanders.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

setDefaultTimeout(180_000);

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

  async function paidOrder() {
    const payer = await shop.app.actor();
    const { tradeNo } = await order(shop, payer, { method: 'stripe' });
    shop.stripe.pay(tradeNo);
    await shop.stripe.notify(webhook(), tradeNo);
    const { id, amount_minor } = await orderRow(shop, tradeNo);
    return { payer, tradeNo, id, amount_minor };
  }

  /** Begins a refund at Stripe; `made` is Stripe's object. */
  async function begin(orderId: number, amount_minor: number) {
    serial += 1;
    const request_id = `refund-event-${serial}`;
    const body = { reason: 'asked for', at_provider: true, amount_minor, request_id };
    const reply = await shop.app.client(admin).orders.refund({ params: { id: orderId }, body });
    const made = shop.stripe.made.find(({ metadata }) => metadata?.['request_id'] === request_id);
    if (made === undefined) throw new Error('Stripe got no refund');
    return { reply, made, request_id };
  }

  const refundRow = async (requestId: string) =>
    await shop.app.store.db
      .selectFrom('refunds')
      .selectAll()
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();

  async function noticesOf(event: string, tradeNo: string) {
    const rows = await shop.app.store.db
      .selectFrom('notices')
      .select(['user_id', 'details'])
      .where('event', '=', event)
      .execute();
    return rows.filter(({ details }) => (JSON.parse(details) as { order: string }).order === tradeNo);
  }

  async function reconcile(): Promise<void> {
    const { store, settings, ledger, log } = shop.app;
    const egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.0/8'],
      systemOrigins: () => [shop.epay.url, shop.stripe.url],
    });
    const providers = createProviders({ settings, egress });
    const parts = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
    await store.db
      .updateTable('refunds')
      .set({ created_at: 5, next_query_at: 0 })
      .where('status', '=', 'pending')
      .execute();
    await reconcileOrders(parts, new AbortController().signal);
    egress.close();
  }

  test('a pending refund is pending until Stripe has paid it (M14)', async () => {
    const { id, payer, amount_minor } = await paidOrder();
    shop.stripe.refundAnswer = 'pends';
    const { reply, made, request_id } = await begin(id, amount_minor);
    expect(reply.refund_status).toBe('pending');
    expect(await balanceOf(shop, payer)).toBe(0);
    const read = async () => await shop.app.client(admin).orders.read({ params: { id } });
    expect(await read()).toMatchObject({
      refunds: [{ status: 'pending', is_accepted: true, can_end: false }],
    });
    expect((await read()).events.at(-1)).toMatchObject({ kind: 'refund_pending', detail: made.id });
    expect((await shop.stripe.send(webhook(), 'refund.created', made)).status).toBe(200);
    expect(await refundRow(request_id)).toMatchObject({ status: 'pending', provider_reference: made.id });
    await shop.stripe.send(webhook(), 'refund.updated', { ...made, status: 'succeeded' });
    expect(await refundRow(request_id)).toMatchObject({ status: 'done' });
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  test.each(['pending', 'succeeded'])(
    'a refund that fails after it was %s gives the quota back once and tells user and operators (M14)',
    async (status) => {
      const { id, payer, amount_minor, tradeNo } = await paidOrder();
      shop.stripe.refundAnswer = 'pends';
      const { made, request_id } = await begin(id, Math.floor(amount_minor / 3));
      await shop.stripe.send(webhook(), 'refund.updated', { ...made, status });
      const { quota: taken } = await refundRow(request_id);
      expect(await balanceOf(shop, payer)).toBe(quota - taken);
      const failed = { ...made, status: 'failed', failure_reason: 'expired_or_canceled_card' };
      for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated', 'refund.failed'])
        await shop.stripe.send(webhook(), type, failed);
      expect(await balanceOf(shop, payer)).toBe(quota);
      expect(await refundRow(request_id)).toMatchObject({ status: 'failed' });
      expect(await orderRow(shop, tradeNo)).toMatchObject({
        status: 'paid',
        refunded_minor: 0,
        refunded_quota: 0,
      });
      const toUser = await noticesOf('order_refund_failed', tradeNo);
      expect(toUser.map(({ user_id }) => user_id)).toEqual([payer.id]);
      expect(JSON.parse(toUser[0]?.details ?? '')).toMatchObject({ quota: taken });
      const toOperators = await noticesOf('refund_failed', tradeNo);
      expect(toOperators.map(({ details }) => JSON.parse(details) as object)).toMatchObject([
        { reason: 'expired_or_canceled_card' },
      ]);
    },
  );

  test('the notice of a payment that comes again after its refund is accepted and changes nothing', async () => {
    const { id, payer, amount_minor, tradeNo } = await paidOrder();
    shop.stripe.refundAnswer = 'pays';
    await begin(id, amount_minor);
    const refunded = await orderRow(shop, tradeNo);
    expect(refunded).toMatchObject({ status: 'refunded' });
    // Stripe repeats what is not accepted for days, and then turns the address off.
    expect((await shop.stripe.notify(webhook(), tradeNo)).status).toBe(200);
    expect(await orderRow(shop, tradeNo)).toEqual(refunded);
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  test('the end of a pending refund is found by asking, and no refund is made twice (M14)', async () => {
    const { id, payer, amount_minor, tradeNo } = await paidOrder();
    shop.stripe.refundAnswer = 'pends';
    const { made } = await begin(id, amount_minor);
    // Stripe forgets idempotency keys after a day.
    shop.stripe.refunds.clear();
    const before = shop.stripe.made.length;
    await reconcile();
    expect(await balanceOf(shop, payer)).toBe(0);
    made.status = 'failed';
    // The job of the running application may be asking about the same refund.
    for (let look = 0; look < 50 && (await balanceOf(shop, payer)) === 0; look += 1) await reconcile();
    expect(await balanceOf(shop, payer)).toBe(quota);
    expect(shop.stripe.made.length).toBe(before);
    expect(await noticesOf('refund_failed', tradeNo)).toHaveLength(1);
  });

  test('a refund whose answer was lost is found again although Stripe has forgotten its key (M14)', async () => {
    const { id, payer, amount_minor } = await paidOrder();
    shop.stripe.refundAnswer = 'pays';
    const { request_id } = await begin(id, amount_minor);
    await shop.app.store.db
      .updateTable('refunds')
      .set({ status: 'pending', provider_reference: '' })
      .where('request_id', '=', request_id)
      .execute();
    shop.stripe.refunds.clear();
    const before = shop.stripe.made.length;
    await reconcile();
    expect(await refundRow(request_id)).toMatchObject({ status: 'done' });
    expect(shop.stripe.made.length).toBe(before);
    expect(await balanceOf(shop, payer)).toBe(0);
  });

  test('a refund made in Stripe’s console that fails later is noted once (M14)', async () => {
    const { id, tradeNo } = await paidOrder();
    const dispute = shop.stripe.disputeOf(tradeNo);
    const outside = {
      id: `re_outside_${tradeNo}`,
      object: 'refund',
      amount: 100,
      metadata: {},
      payment_intent: dispute.payment_intent,
      status: 'failed',
    };
    for (let times = 0; times < 2; times += 1)
      expect((await shop.stripe.send(webhook(), 'refund.failed', outside)).status).toBe(200);
    const { events } = await shop.app.client(admin).orders.read({ params: { id } });
    expect(events.filter(({ kind }) => kind === 'refund_failed')).toHaveLength(1);
    expect(await noticesOf('payment_alert', tradeNo)).toHaveLength(1);
    const unknown = { ...outside, id: 're_unknown', payment_intent: 'pi_unknown' };
    expect((await shop.stripe.send(webhook(), 'refund.failed', unknown)).status).toBe(200);
  });

  test('operators are alerted once for each reason of each order (M21)', async () => {
    const alert = (tradeNo: string, reason: string) => alertOperators(shop.app.store.db, tradeNo, reason);
    expect(await alert('first', 'late')).toBe(true);
    expect(await alert('first', 'late')).toBe(false);
    expect([await alert('second', 'late'), await alert('first', 'short')]).toEqual([true, true]);
  });

  test('a report of another amount under the id of a refund moves nothing, and the operators are alerted (M21)', async () => {
    const { id, tradeNo, payer } = await paidOrder();
    const { made, request_id } = await begin(id, 400);
    const books = async () => [await refundRow(request_id), await balanceOf(shop, payer)];
    const before = await books();
    const other = { ...made, amount: 300, status: 'failed' };
    expect((await shop.stripe.send(webhook(), 'refund.failed', other)).status).toBe(200);
    expect(await books()).toEqual(before);
    expect(await noticesOf('payment_alert', tradeNo)).toHaveLength(1);
  });

  const states = ['pending', 'requires_action', 'succeeded', 'failed', 'canceled'] as const;
  const told = fc.array(
    fc.record({
      refund: fc.nat(2),
      status: fc.constantFrom(...states),
      type: fc.constantFrom('refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated'),
      isTwice: fc.boolean(),
      isSummed: fc.boolean(),
    }),
    { maxLength: 12 },
  );

  test('whatever the order of the events, the balance is what the refunds say in the end (M14)', async () => {
    await fc.assert(
      fc.asyncProperty(
        told,
        fc.constantFrom<('pends' | 'pays')[]>('pends', 'pays'),
        async (events, answer) => {
          const { id, payer, tradeNo, amount_minor } = await paidOrder();
          shop.stripe.refundAnswer = answer;
          const part = Math.floor(amount_minor / 3);
          const refunds = [];
          for (const amount of [part, part, amount_minor - 2 * part]) refunds.push(await begin(id, amount));
          for (const { refund, status, type, isTwice, isSummed } of events) {
            const object = { ...refunds[refund]?.made, status };
            for (let times = isTwice ? 2 : 1; times > 0; times -= 1)
              expect((await shop.stripe.send(webhook(), type, object)).status).toBe(200);
            const charge = {
              object: 'charge',
              amount_refunded: amount_minor,
              metadata: { trade_no: tradeNo },
            };
            if (isSummed) await shop.stripe.send(webhook(), 'charge.refunded', charge);
          }
          let left = quota;
          let minor = 0;
          for (const [index, { request_id, made }] of refunds.entries()) {
            const said = new Set(events.filter(({ refund }) => refund === index).map(({ status }) => status));
            const isFailed = said.has('failed') || said.has('canceled');
            const isDone = answer === 'pays' || said.has('succeeded');
            const row = await refundRow(request_id);
            expect(row.status).toBe(isFailed ? 'failed' : isDone ? 'done' : 'pending');
            if (isFailed) continue;
            left -= row.quota;
            minor += made.amount;
          }
          expect(await balanceOf(shop, payer)).toBe(left);
          expect(await orderRow(shop, tradeNo)).toMatchObject({
            refunded_minor: minor,
            refunded_quota: quota - left,
            status: minor === amount_minor ? 'refunded' : 'paid',
          });
          const { events: noted } = await shop.app.client(admin).orders.read({ params: { id } });
          expect(noted.filter(({ kind }) => kind === 'refunded_outside')).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
    expect(await breaches(shop)).toEqual([]);
  });
});
