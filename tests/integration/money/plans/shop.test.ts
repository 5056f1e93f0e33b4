// Plans from the shop's side: what can be sold, bought, renewed, refunded and ended, and by whom.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { PlanFields } from '#contract/money/plans.ts';
import { advanceSubscriptions } from '#server/admin/plans/index.ts';
import { createProviders, endRefundWithin, type PaymentParts } from '#server/money/payments/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import type { Actor, ApiRefusal } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { standBeside, type Bystanders } from '#tests/integration/money/payments/bystanders.ts';
import {
  balanceOf,
  breaches,
  openShop,
  orderRow,
  type Shop,
} from '#tests/integration/money/payments/support.ts';
import { outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { age, daySeconds, planFields, planFirst, subscriptionRow } from './world.ts';

setDefaultTimeout(60_000);

let counter = 0;
const requestId = () => `request-${(counter += 1)}`;

forEachDatabase((label) => {
  describe('plans', () => {
    let shop: Shop;
    let bystanders: Bystanders;
    let admin: Actor;
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

    const fields = planFields;
    const sell = (change: Partial<PlanFields> = {}) =>
      shop.app.client(admin).plans.create({ body: fields(change) });
    const buy = (as: Actor, plan: { id: number; price_quota: number }, more: object = {}) =>
      shop.app.client(as).plans.buy({
        params: { id: plan.id },
        body: { request_id: requestId(), price_quota: plan.price_quota, ...more },
      });
    const own = async (as: Actor) => (await shop.app.client(as).plans.own()).subscriptions;
    const codeOf = async (call: Promise<unknown>) =>
      await call.then(
        () => 'accepted',
        (error: ApiRefusal) => error.body.code ?? String(error.status),
      );
    async function orderPlan(as: Actor, plan: { id: number; price_minor: number }, more: object = {}) {
      const body = { payment_method: 'zfb' as const, price_minor: plan.price_minor, ...more };
      const placed = await shop.app.client(as).plans.order({ params: { id: plan.id }, body });
      await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
      return placed.trade_no;
    }
    const pay = async (tradeNo: string) => {
      const notice = shop.epay.notice(tradeNo).toString();
      return await (await fetch(`${shop.app.url}/api/user/epay/notify?${notice}`)).text();
    };
    function paymentParts(): PaymentParts & { close(): void } {
      const { store, settings, ledger, log } = shop.app;
      const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
      const providers = createProviders({ settings, egress });
      const close = () => egress.close();
      return { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [], close };
    }
    async function advance(): Promise<void> {
      const payments = paymentParts();
      await advanceSubscriptions({ ...shop.app, payments }, new AbortController().signal);
      payments.close();
    }
    const noticesOf = async ({ id }: Actor) =>
      (await shop.app.store.db.selectFrom('notices').select('event').where('user_id', '=', id).execute()).map(
        ({ event }) => event,
      );

    test('a plan is bought from the balance once, however often the same purchase is sent', async () => {
      const plan = await sell();
      const user = await shop.app.actor({ quota: 1_000_000 });
      const body = { request_id: requestId(), price_quota: plan.price_quota };
      const bought = await Promise.all(
        Array.from({ length: 8 }, () => shop.app.client(user).plans.buy({ params: { id: plan.id }, body })),
      );
      expect(new Set(bought.map(({ id }) => id)).size).toBe(1);
      expect(await balanceOf(shop, user)).toBe(600_000);
      expect(await own(user)).toMatchObject([
        { plan_name: 'Monthly', state: 'active', left: 1_000_000, period_quota: 1_000_000, resets: false },
      ]);
      expect(await codeOf(buy(user, plan, { price_quota: 399_999 }))).toBe('plan_unavailable');
      await buy(user, plan);
      expect(await codeOf(buy(user, plan))).toBe('plan_quota_short');
      expect(await balanceOf(shop, user)).toBe(200_000);
    });

    test('purchases at once never make the balance negative, nor exceed the limit per user', async () => {
      const plan = await sell({ limit_per_user: 3, price_quota: 100_000 });
      const user = await shop.app.actor({ quota: 1_000_000 });
      const results = await Promise.all(Array.from({ length: 10 }, () => codeOf(buy(user, plan))));
      expect(results.filter((code) => code === 'accepted').length).toBe(3);
      expect(new Set(results)).toEqual(new Set(['accepted', 'plan_limit_reached']));
      expect(await balanceOf(shop, user)).toBe(700_000);
      const limited = await sell({ limit_per_user: 1 });
      await orderPlan(user, limited);
      expect(await codeOf(orderPlan(user, limited))).toBe('plan_limit_reached');
      expect(await codeOf(buy(user, limited))).toBe('plan_limit_reached');
    });

    test('what an order froze is delivered, although the plan was repriced and deleted meanwhile', async () => {
      const plan = await sell({ models: ['gpt-4o'], group: 'vip' });
      const user = await shop.app.actor();
      const first = await orderPlan(user, plan);
      const second = await orderPlan(user, plan);
      await shop.app
        .client(admin)
        .plans.change({ params: { id: plan.id }, body: fields({ quota: 5, price_minor: 1, models: [] }) });
      expect(await pay(first)).toBe('success');
      await shop.app.client(admin).plans.remove({ params: { id: plan.id } });
      const answers = await Promise.all(Array.from({ length: 10 }, () => pay(second)));
      expect(new Set(answers)).toEqual(new Set(['success']));
      expect(await own(user)).toMatchObject([
        { period_quota: 1_000_000, models: ['gpt-4o'], group: 'vip', price_minor: 3000, renewable: false },
        { period_quota: 1_000_000, models: ['gpt-4o'] },
      ]);
      expect(await balanceOf(shop, user)).toBe(0);
      expect(await codeOf(orderPlan(user, plan))).toBe('plan_unavailable');
      expect(await orderRow(shop, first)).toMatchObject({ status: 'paid', quota: 0, plan_id: plan.id });
      const listed = await shop.app.client(admin).orders.list({ query: { keyword: first } });
      expect(listed.items).toMatchObject([{ plan_id: plan.id, plan_name: 'Monthly' }]);
    });

    test('a renewal starts when the subscription ends, once; the limit counts it', async () => {
      const plan = await sell({ limit_per_user: 2 });
      const user = await shop.app.actor({ quota: 5_000_000 });
      const first = await buy(user, plan);
      const second = await buy(user, plan, { renews: first.id });
      expect(second).toMatchObject({ state: 'scheduled', started_at: first.ends_at, left: 0 });
      expect(await codeOf(buy(user, plan, { renews: first.id }))).toBe('plan_limit_reached');
      const other = await sell();
      expect(await codeOf(buy(user, other, { renews: first.id }))).toBe('subscription_not_renewable');
      const stranger = await shop.app.actor({ quota: 5_000_000 });
      expect(await codeOf(buy(stranger, plan, { renews: first.id }))).toBe('subscription_not_renewable');
      for (const { id } of [first, second]) await age(shop.app.store, id, 31 * daySeconds + 60);
      await advance();
      expect(await subscriptionRow(shop.app.store, first.id)).toMatchObject({ status: 'ended', quota: 0 });
      expect(await subscriptionRow(shop.app.store, second.id)).toMatchObject({ period: 0, quota: 1_000_000 });
      expect(await noticesOf(user)).toEqual([]);
    });

    test('a subscription has one renewal, from the balance and by an order, until that renewal is ended (M21)', async () => {
      const plan = await sell();
      const user = await shop.app.actor({ quota: 5_000_000 });
      const first = await buy(user, plan);
      const second = await buy(user, plan, { renews: first.id });
      const again = { renews: first.id };
      expect(await codeOf(buy(user, plan, again))).toBe('subscription_not_renewable');
      expect(await codeOf(orderPlan(user, plan, again))).toBe('subscription_not_renewable');
      expect(await balanceOf(shop, user)).toBe(4_200_000);
      expect(await own(user)).toHaveLength(2);
      await shop.app.client(admin).plans.end({ params: { id: second.id }, body: { reason: 'asked' } });
      expect(await buy(user, plan, again)).toMatchObject({ state: 'scheduled', started_at: first.ends_at });
      expect(await balanceOf(shop, user)).toBe(3_800_000);
    });

    test('the balance renews in the last day, for the agreed price and not for a higher one', async () => {
      const plan = await sell({ duration_unit: 'day', duration_count: 7, reset: 'daily', price_quota: 100 });
      const user = await shop.app.actor({ quota: 250 });
      const { id } = await buy(user, plan);
      const client = shop.app.client(user);
      expect(await client.plans.autoRenew({ params: { id }, body: { auto_renew: true } })).toMatchObject({
        renew_price: 100,
      });
      await age(shop.app.store, id, 5 * daySeconds);
      await advance();
      expect(await own(user)).toHaveLength(1);
      const raised = { duration_unit: 'day', duration_count: 7, reset: 'daily' } as const;
      await age(shop.app.store, id, daySeconds + 60);
      await shop.app
        .client(admin)
        .plans.change({ params: { id: plan.id }, body: fields({ ...raised, price_quota: 101 }) });
      await advance();
      expect(await balanceOf(shop, user)).toBe(150);
      await shop.app
        .client(admin)
        .plans.change({ params: { id: plan.id }, body: fields({ ...raised, price_quota: 90 }) });
      await Promise.all([advance(), advance()]);
      expect(await balanceOf(shop, user)).toBe(60);
      expect((await own(user)).map(({ state, renew_price }) => [state, renew_price])).toEqual([
        ['active', 0],
        ['scheduled', 100],
      ]);
    });

    test.each([
      ['are not to be renewed', 0, 3600],
      ['have run out', 100, -60],
    ])(
      'a subscription is renewed although more than a run takes %s (M21)',
      async (_, renew_price, endsInSeconds) => {
        const days = { duration_unit: 'day', duration_count: 7, reset: 'daily' } as const;
        const plan = await sell({ ...days, price_quota: 100 });
        const user = await shop.app.actor({ quota: 250 });
        const { id } = await buy(user, plan);
        await shop.app.client(user).plans.autoRenew({ params: { id }, body: { auto_renew: true } });
        await age(shop.app.store, id, 6 * daySeconds + 60);
        const { db } = shop.app.store;
        const { id: user_id } = await shop.app.actor();
        const now = Math.floor(Date.now() / 1000);
        const { id: _id, ...row } = await subscriptionRow(shop.app.store, id);
        const others = {
          ...row,
          user_id,
          renew_price,
          quota: 0,
          ends_at: now + endsInSeconds,
          period_ends_at: now + daySeconds,
          ending_noticed: 1 as const,
          request_key: null,
        };
        const mostPerRun = 500;
        await db
          .insertInto('subscriptions')
          .values(Array.from({ length: mostPerRun }, () => others))
          .execute();
        await advance();
        await db.deleteFrom('subscriptions').where('user_id', '=', user_id).execute();
        expect(await balanceOf(shop, user)).toBe(50);
      },
    );

    test('who switches renewal on agrees to the price of that moment, not to the one paid before (M21)', async () => {
      const week = { duration_unit: 'day', duration_count: 7, reset: 'daily' } as const;
      const plan = await sell({ ...week, price_quota: 100 });
      const user = await shop.app.actor({ quota: 250 });
      const { id } = await buy(user, plan);
      for (const price_quota of [120, 90]) {
        const change = { params: { id: plan.id }, body: fields({ ...week, price_quota }) };
        await shop.app.client(admin).plans.change(change);
        const renewal = { params: { id }, body: { auto_renew: true } };
        expect(await shop.app.client(user).plans.autoRenew(renewal)).toMatchObject({
          renew_price: price_quota,
        });
      }
      await age(shop.app.store, id, 6 * daySeconds + 60);
      await advance();
      expect(await balanceOf(shop, user)).toBe(60);
    });

    test('one that was renewed, refused and switched on again is renewed; a banned user is not', async () => {
      const days = { duration_unit: 'day', duration_count: 30, reset: 'never' } as const;
      const plan = await sell({ ...days, price_quota: 100 });
      const user = await shop.app.actor({ quota: 1000 });
      const { id } = await buy(user, plan);
      const renewal = { params: { id }, body: { auto_renew: true } };
      await shop.app.client(user).plans.autoRenew(renewal);
      await age(shop.app.store, id, 29 * daySeconds + 60);
      const ban = (status: number) =>
        shop.app.store.db.updateTable('users').set({ status }).where('id', '=', user.id).execute();
      await ban(2);
      await advance();
      expect(await balanceOf(shop, user)).toBe(900);
      await ban(1);
      await advance();
      expect(await balanceOf(shop, user)).toBe(800);
      const [, second] = await own(user);
      await shop.app.client(admin).plans.end({ params: { id: second?.id ?? 0 }, body: { reason: 'asked' } });
      await shop.app.client(user).plans.autoRenew(renewal);
      await advance();
      expect(await balanceOf(shop, user)).toBe(700);
    });

    test('a user is notified once before the end and once after it', async () => {
      const plan = await sell();
      const user = await shop.app.actor({ quota: 400_000 });
      const { id } = await buy(user, plan);
      await advance();
      expect(await noticesOf(user)).toEqual([]);
      await age(shop.app.store, id, 28 * daySeconds + 60);
      await advance();
      await advance();
      expect(await noticesOf(user)).toEqual(['subscription_ending']);
      await age(shop.app.store, id, 3 * daySeconds);
      await advance();
      await advance();
      expect(await noticesOf(user)).toEqual(['subscription_ending', 'subscription_ended']);
    });

    test('a refund ends the subscription, leaves the balance alone, and a running call settles', async () => {
      const plan = await sell();
      const user = await shop.app.actor({ quota: 100 });
      const tradeNo = await orderPlan(user, plan);
      await pay(tradeNo);
      const [subscription] = await own(user);
      const id = subscription?.id ?? 0;
      const used = await reserve(shop.app.ledger, user.id, 0, 300_000, planFirst(id));
      await shop.app.ledger.settle(used.requestId, outcome(300_000, { log: null }));
      const month = new Date().toISOString().slice(0, 7);
      const statement = await shop.app.client(user).statements.own({ query: { month } });
      expect(statement).toMatchObject({ closing: 100, usage: { plan: 300_000, difference: 0 } });
      expect(statement.usage.total.quota).toBe(300_000);
      const running = await reserve(shop.app.ledger, user.id, 0, 500_000, planFirst(id));
      const { id: orderId } = await orderRow(shop, tradeNo);
      const refund = (amount_minor: number, at_provider = false) =>
        shop.app.client(admin).orders.refund({
          params: { id: orderId },
          body: { reason: 'asked', amount_minor, at_provider, request_id: requestId() },
        });
      await refund(1000);
      expect(await subscriptionRow(shop.app.store, id)).toMatchObject({
        status: 'ended',
        quota: 500_000,
        held: 500_000,
      });
      await refund(2000);
      await shop.app.ledger.settle(running.requestId, outcome(400_000, { log: null }));
      expect(await subscriptionRow(shop.app.store, id)).toMatchObject({ quota: 0, held: 0 });
      expect(await balanceOf(shop, user)).toBe(100);
      expect(await own(user)).toMatchObject([{ state: 'ended', end_reason: 'refund' }]);
    });

    test('a refund that the provider refuses opens the subscription again', async () => {
      const plan = await sell();
      const user = await shop.app.actor();
      const tradeNo = await orderPlan(user, plan);
      await pay(tradeNo);
      shop.epay.refundAnswer = 'refuses';
      const { id: orderId } = await orderRow(shop, tradeNo);
      const body = { reason: 'asked', amount_minor: 3000, at_provider: true, request_id: requestId() };
      const refused = shop.app.client(admin).orders.refund({ params: { id: orderId }, body });
      expect(await codeOf(refused)).toBe('refund_failed');
      shop.epay.refundAnswer = 'pays';
      expect(await own(user)).toMatchObject([{ state: 'active', left: 1_000_000 }]);
    });

    test('a refund that failed leaves the subscription ended when another one was paid', async () => {
      const plan = await sell();
      const user = await shop.app.actor();
      const tradeNo = await orderPlan(user, plan);
      await pay(tradeNo);
      const { id } = await orderRow(shop, tradeNo);
      const refund = (amount_minor: number, at_provider: boolean) =>
        shop.app.client(admin).orders.refund({
          params: { id },
          body: { reason: 'asked', amount_minor, at_provider, request_id: requestId() },
        });
      shop.epay.refundAnswer = 'breaks';
      await refund(2000, true);
      shop.epay.refundAnswer = 'pays';
      await refund(1000, false);
      const { store } = shop.app;
      const open = await store.db
        .selectFrom('refunds')
        .select('id')
        .where('order_id', '=', id)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow();
      const parts = paymentParts();
      await store.db
        .transaction()
        .execute((transaction) =>
          endRefundWithin(parts, transaction, open.id, { isPaidBack: false, detail: 'refused' }),
        );
      parts.close();
      expect(await own(user)).toMatchObject([{ state: 'ended', end_reason: 'refund' }]);
    });

    test('a refund that was not paid after all opens the subscription again; the receipt names the plan', async () => {
      const plan = await sell({ name: 'Receipted' });
      const user = await shop.app.actor();
      const tradeNo = await orderPlan(user, plan);
      await pay(tradeNo);
      shop.epay.refundAnswer = 'breaks';
      const { id } = await orderRow(shop, tradeNo);
      const body = { reason: 'asked', amount_minor: 3000, at_provider: true, request_id: requestId() };
      await shop.app.client(admin).orders.refund({ params: { id }, body });
      shop.epay.refundAnswer = 'pays';
      expect(await own(user)).toMatchObject([{ state: 'ended' }]);
      await shop.app.store.db
        .updateTable('refunds')
        .set({ created_at: 5 })
        .where('order_id', '=', id)
        .execute();
      const [refund] = (await shop.app.client(admin).orders.read({ params: { id } })).refunds;
      const announced: (string | undefined)[] = [];
      const unsubscribe = shop.app.store.changes.subscribe('users', (changed) => announced.push(changed));
      await shop.app.client(admin).orders.endRefund({
        params: { id },
        body: { refund_id: refund?.id ?? 0, is_paid_back: false, reason: 'not in the list' },
      });
      unsubscribe();
      expect(announced).toContain(String(user.id));
      expect(await own(user)).toMatchObject([{ state: 'active', left: 1_000_000 }]);
      const receipt = await shop.app.client(user).receipts.own({ params: { trade_no: tradeNo } });
      expect(receipt).toMatchObject({ plan_name: 'Receipted', amount_minor: 3000, refunds: [] });
    });

    test('an administrator grants and ends for users of a lower role only', async () => {
      const plan = await sell({ on_sale: false });
      const user = await shop.app.actor();
      const client = shop.app.client(admin);
      const granted = await client.plans.grant({
        body: { plan_id: plan.id, user_id: user.id, request_id: requestId() },
      });
      expect(granted).toMatchObject({ source: 'grant', user_id: user.id, left: 1_000_000 });
      const toSelf = { plan_id: plan.id, user_id: admin.id, request_id: requestId() };
      expect(await codeOf(client.plans.grant({ body: toSelf }))).toBe('user_not_manageable');
      expect(await codeOf(buy(user, plan))).toBe('plan_unavailable');
      const end = () => client.plans.end({ params: { id: granted.id }, body: { reason: 'abuse' } });
      expect(await end()).toMatchObject({ state: 'ended', end_reason: 'admin' });
      // The refusal names the reason: the subscription has ended already.
      expect(await codeOf(end())).toBe('subscription_already_ended');
      const asUser = shop.app.client(user).plans.end({ params: { id: granted.id }, body: { reason: 'x' } });
      expect(await codeOf(asUser)).toBe('no_permission');
    });

    test('the overview counts what is active, what ends soon, and what came in less refunds', async () => {
      const before = await shop.app.client(admin).plans.list();
      const plan = await sell({ name: 'Counted' });
      const user = await shop.app.actor({ quota: 400_000 });
      const bought = await buy(user, plan);
      const tradeNo = await orderPlan(user, plan);
      await pay(tradeNo);
      const refunded = await orderPlan(user, plan);
      await pay(refunded);
      const { id } = await orderRow(shop, refunded);
      await shop.app.client(admin).orders.refund({
        params: { id },
        body: { reason: 'asked', amount_minor: 3000, at_provider: false, request_id: requestId() },
      });
      await age(shop.app.store, bought.id, 25 * daySeconds);
      const after = await shop.app.client(admin).plans.list();
      expect(after.plans.find(({ id: planId }) => planId === plan.id)).toMatchObject({
        active: 2,
        expiring: 1,
        sold: 3,
        revenue: [{ currency: 'CNY', amount_minor: 3000 }],
        revenue_quota: 400_000,
      });
      expect(after.active - before.active).toBe(2);
      expect(after.revenue_quota - before.revenue_quota).toBe(400_000);
      const listed = await shop.app.client(admin).plans.subscriptions({
        query: { plan_id: plan.id, state: 'expiring', keyword: user.username },
      });
      expect(listed.items).toMatchObject([{ id: bought.id, username: user.username }]);
    });

    const refused: [string, Partial<Record<keyof PlanFields, unknown>>][] = [
      ['a negative price', { price_quota: -1 }],
      ['a part of a unit', { price_minor: 0.5 }],
      ['no quota', { quota: 0 }],
      ['more quota than can be counted', { quota: Number.MAX_SAFE_INTEGER }],
      ['half a month', { duration_count: 0.5 }],
      ['no time', { duration_count: 0 }],
      ['a thousand years', { duration_count: 12_000 }],
      ['weeks in a month', { reset: 'weekly' }],
      ['months in days', { duration_unit: 'day', duration_count: 30 }],
      ['ten days of weeks', { duration_unit: 'day', duration_count: 10, reset: 'weekly' }],
      ['an unknown group', { group: 'nobody' }],
      ['on sale for nothing', { price_minor: 0, price_quota: 0 }],
      ['a currency without a way to pay', { currency: 'JPY' }],
      ['a model with a comma', { models: ['a,b'] }],
      ['a negative limit', { limit_per_user: -1 }],
    ];
    test.each(refused)('a plan with %s is refused', async (_, change) => {
      const reply = await shop.app.request('/api/plan/manage', {
        as: admin,
        body: { ...fields(), ...change },
      });
      expect(reply.body.success).toBe(false);
    });

    test('a month with a daily reset has as many periods as the month has days', async () => {
      const plan = await sell({ reset: 'daily' });
      const user = await shop.app.actor({ quota: 400_000 });
      const { id } = await buy(user, plan);
      const { periods, started_at, ends_at } = await subscriptionRow(shop.app.store, id);
      expect(periods * daySeconds).toBe(ends_at - started_at);
      expect([28, 29, 30, 31]).toContain(periods);
    });
  });
});
