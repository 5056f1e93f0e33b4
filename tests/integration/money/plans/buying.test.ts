// Who may buy a plan, how often, at which price, and under which request id.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { PlanFields } from '#contract/money/plans.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { advanceSubscriptions } from '#server/admin/plans/index.ts';
import { createProviders } from '#server/money/payments/index.ts';
import type { Actor, ApiRefusal } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { standBeside, type Bystanders } from '#tests/integration/money/payments/bystanders.ts';
import {
  balanceOf,
  breaches,
  openShop,
  orderRow,
  type Shop,
} from '#tests/integration/money/payments/support.ts';
import { outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { age, daySeconds, planFields, planFirst } from './world.ts';

setDefaultTimeout(60_000);

let counter = 0;
const newRequestId = () => `buying-${(counter += 1)}`;

forEachDatabase((label) => {
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

  const asAdmin = () => shop.app.client(admin).plans;
  const sell = (change: Partial<PlanFields> = {}) => asAdmin().create({ body: planFields(change) });
  type Sold = Awaited<ReturnType<typeof sell>>;
  const buy = (as: Actor, plan: Sold, more: object = {}) =>
    shop.app.client(as).plans.buy({
      params: { id: plan.id },
      body: { request_id: newRequestId(), price_quota: plan.price_quota, ...more },
    });
  async function placeOrder(as: Actor, plan: Sold, more: object = {}): Promise<string> {
    const body = { payment_method: 'zfb' as const, price_minor: plan.price_minor, ...more };
    const placed = await shop.app.client(as).plans.order({ params: { id: plan.id }, body });
    await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
    return placed.trade_no;
  }
  const own = async (as: Actor) => (await shop.app.client(as).plans.own()).subscriptions;
  const grant = (user: Actor, plan: Sold, request_id = newRequestId()) =>
    asAdmin().grant({ body: { plan_id: plan.id, user_id: user.id, request_id } });
  const end = (id: number) => asAdmin().end({ params: { id }, body: { reason: 'asked' } });
  const refusalOf = async (call: Promise<unknown>) =>
    await call.then(
      () => 'accepted',
      ({ body }: ApiRefusal) => body.field ?? body.fields?.[0]?.field ?? body.code,
    );

  test('the limit per user counts neither gifts, nor refunded orders, nor open orders that expired (M21)', async () => {
    const plan = await sell({ limit_per_user: 1 });
    const gifted = await shop.app.actor({ quota: 1_000_000 });
    await grant(gifted, plan);
    expect(await refusalOf(buy(gifted, plan))).toBe('accepted');
    expect(await refusalOf(buy(gifted, plan))).toBe('plan_limit_reached');

    const refunded = await shop.app.actor({ quota: 1_000_000 });
    const tradeNo = await placeOrder(refunded, plan);
    await shop.epay.notify(tradeNo);
    expect(await refusalOf(buy(refunded, plan))).toBe('plan_limit_reached');
    const body = { reason: 'asked', amount_minor: 3000, at_provider: false, request_id: newRequestId() };
    const { id } = await orderRow(shop, tradeNo);
    await shop.app.client(admin).orders.refund({ params: { id }, body });
    expect(await refusalOf(buy(refunded, plan))).toBe('accepted');

    const slow = await shop.app.actor({ quota: 1_000_000 });
    const open = await placeOrder(slow, plan);
    expect(await refusalOf(buy(slow, plan))).toBe('plan_limit_reached');
    await shop.app.store.db
      .updateTable('orders')
      .set({ expires_at: 5 })
      .where('trade_no', '=', open)
      .execute();
    expect(await refusalOf(buy(slow, plan))).toBe('accepted');
  });

  test('the limit per user counts neither open orders of another user, nor those for another plan (M21)', async () => {
    const [plan, other] = [await sell({ limit_per_user: 1 }), await sell({ limit_per_user: 1 })];
    const user = await shop.app.actor({ quota: 1_000_000 });
    await placeOrder(await shop.app.actor(), plan);
    await placeOrder(user, other);
    expect(await refusalOf(buy(user, plan))).toBe('accepted');
    expect(await refusalOf(buy(user, other))).toBe('plan_limit_reached');
  });

  test('a subscription is shown as renewable while its plan is on sale and no renewal of it stands (M21)', async () => {
    const plan = await sell();
    const user = await shop.app.actor({ quota: 2_000_000 });
    const { id } = await buy(user, plan);
    const isRenewable = async () => (await own(user)).find((each) => each.id === id)?.renewable;
    expect(await isRenewable()).toBe(true);
    const renewal = await buy(user, plan, { renews: id });
    expect(await isRenewable()).toBe(false);
    await end(renewal.id);
    expect(await isRenewable()).toBe(true);
    await asAdmin().change({ params: { id: plan.id }, body: planFields({ on_sale: false }) });
    expect(await isRenewable()).toBe(false);
    expect(await refusalOf(buy(user, plan))).toBe('plan_unavailable');
    const removed = await sell();
    await asAdmin().remove({ params: { id: removed.id } });
    const offers = await shop.app.client(user).plans.offers();
    expect(offers.filter((offer) => offer.id === removed.id || offer.id === plan.id)).toEqual([]);
  });

  test('a purchase answers with the quota that the buyer can use now, also when it is sent again (O50)', async () => {
    const plan = await sell();
    const user = await shop.app.actor({ quota: 1_000_000 });
    const request_id = newRequestId();
    const bought = await buy(user, plan, { request_id });
    expect([bought.state, bought.left]).toEqual(['active', 1_000_000]);
    expect(await buy(user, plan, { request_id })).toEqual(bought);
    // A renewal begins later and has nothing yet.
    const renewal = await buy(user, plan, { renews: bought.id });
    expect([renewal.state, renewal.left]).toEqual(['scheduled', 0]);
    expect((await grant(user, plan)).left).toBe(1_000_000);
  });

  test('a purchase that the balance does not cover names the free balance of the buyer (M21)', async () => {
    const user = await shop.app.actor({ quota: 1003 });
    const { body } = (await failure(buy(user, await sell()))) as ApiRefusal;
    expect(body.code).toBe('plan_quota_short');
    expect(body.message).toContain('1003');
  });

  test('an order at another price than the plan has is refused (M21)', async () => {
    const plan = await sell();
    const user = await shop.app.actor();
    for (const price_minor of [plan.price_minor - 1, plan.price_minor + 1])
      expect(await refusalOf(placeOrder(user, plan, { price_minor }))).toBe('plan_unavailable');
    expect(await refusalOf(placeOrder(user, plan))).toBe('accepted');
  });

  test('the price of a plan is paid in its own currency only, and a removed plan is not given away (M21)', async () => {
    const plan = await sell();
    const [user, orders] = [await shop.app.actor(), shop.app.store.db.selectFrom('orders').select('id')];
    expect([plan.currency, shop.app.settings.current.StripeCurrency.toUpperCase()]).toEqual(['CNY', 'USD']);
    expect(await refusalOf(placeOrder(user, plan, { payment_method: 'stripe' }))).toBe('payment_method');
    expect(await orders.where('user_id', '=', user.id).execute()).toEqual([]);
    expect(await refusalOf(placeOrder(user, plan, { payment_method: 'wx' }))).toBe('accepted');

    await grant(user, plan);
    await asAdmin().remove({ params: { id: plan.id } });
    expect(await refusalOf(grant(user, plan))).toBe('plan_unavailable');
    expect(await own(user)).toHaveLength(1);
  });

  test('a request id that was used for another plan, renewal or user is refused, not answered with that sale (M21)', async () => {
    const [plan, other] = [await sell(), await sell()];
    const user = await shop.app.actor({ quota: 2_000_000 });
    const request_id = newRequestId();
    const first = await buy(user, plan, { request_id });
    expect(await refusalOf(buy(user, other, { request_id }))).toBe('request_id');
    expect(await refusalOf(buy(user, plan, { request_id, renews: first.id }))).toBe('request_id');
    expect((await buy(user, plan, { request_id })).id).toBe(first.id);
    expect(await balanceOf(shop, user)).toBe(1_600_000);

    const stranger = await shop.app.actor();
    const granted = await grant(user, plan, 'one-grant');
    expect((await grant(user, plan, 'one-grant')).id).toBe(granted.id);
    expect(await refusalOf(grant(stranger, plan, 'one-grant'))).toBe('request_id');
    expect(await refusalOf(grant(user, other, 'one-grant'))).toBe('request_id');
    expect([(await own(user)).length, (await own(stranger)).length]).toEqual([2, 0]);
  });

  test('a paid renewal of a subscription that was ended meanwhile begins at once (M21)', async () => {
    const plan = await sell();
    const user = await shop.app.actor({ quota: 400_000 });
    const first = await buy(user, plan);
    const tradeNo = await placeOrder(user, plan, { renews: first.id });
    await end(first.id);
    expect(await shop.epay.notify(tradeNo)).toBe('success');
    const states = (await own(user)).map(({ id, state, left }) => [id === first.id, state, left]);
    expect(states).toContainEqual([true, 'ended', 0]);
    expect(states).toContainEqual([false, 'active', 1_000_000]);
  });

  test('a renewal that is paid after the end begins with its payment: no paid time is lost (M21)', async () => {
    const plan = await sell({ duration_unit: 'day', duration_count: 30, reset: 'never' });
    const user = await shop.app.actor({ quota: 400_000 });
    const first = await buy(user, plan);
    const tradeNo = await placeOrder(user, plan, { renews: first.id });
    // Over for a day, and no job has ended it.
    await age(shop.app.store, first.id, 31 * daySeconds);
    const paidAt = Math.floor(Date.now() / 1000);
    expect(await shop.epay.notify(tradeNo)).toBe('success');
    const renewal = (await own(user)).find(({ id }) => id !== first.id);
    expect(renewal).toMatchObject({ state: 'active', left: 1_000_000 });
    expect(renewal?.started_at).toBeGreaterThanOrEqual(paidAt);
    expect((renewal?.ends_at ?? 0) - (renewal?.started_at ?? 0)).toBe(30 * daySeconds);
  });

  test('a subscription of another user or of another plan is not renewed, and what one user agrees to changes no other (M21)', async () => {
    const [plan, otherPlan] = [await sell(), await sell()];
    const [owner, other] = [
      await shop.app.actor({ quota: 5_000_000 }),
      await shop.app.actor({ quota: 5_000_000 }),
    ];
    const { id } = await buy(owner, plan);
    const second = await buy(owner, otherPlan);
    const theirs = await buy(other, plan);
    const renews = { renews: id };
    expect(await refusalOf(buy(other, plan, renews))).toBe('subscription_not_renewable');
    expect(await refusalOf(placeOrder(other, plan, renews))).toBe('subscription_not_renewable');
    expect(await refusalOf(buy(owner, otherPlan, renews))).toBe('subscription_not_renewable');
    expect(await refusalOf(placeOrder(owner, otherPlan, renews))).toBe('subscription_not_renewable');
    const agree = (as: Actor) =>
      shop.app.client(as).plans.autoRenew({ params: { id }, body: { auto_renew: true } });
    expect(await refusalOf(agree(other))).toBe('not_found');
    const agreed = async () => {
      const rows = await shop.app.store.db
        .selectFrom('subscriptions')
        .select(['id', 'renew_price'])
        .where('user_id', 'in', [owner.id, other.id])
        .orderBy('id')
        .execute();
      return rows.map((row) => [row.id, row.renew_price]);
    };
    const [none, price] = [0, plan.price_quota];
    expect(await agreed()).toEqual([id, second.id, theirs.id].map((each) => [each, none]));
    await agree(owner);
    expect(await agreed()).toEqual(
      [id, second.id, theirs.id].map((each) => [each, each === id ? price : none]),
    );

    await shop.app.client(owner).plans.preference({ body: { wallet_first: true } });
    const users = await shop.app.store.db
      .selectFrom('users')
      .select(['id', 'wallet_first'])
      .where('id', 'in', [owner.id, other.id])
      .execute();
    expect(new Map(users.map((user) => [user.id, user.wallet_first]))).toEqual(
      new Map([
        [owner.id, 1],
        [other.id, 0],
      ]),
    );
  });

  test('a plan that an administrator ended stays ended when a refund of its price is refused (M21)', async () => {
    const user = await shop.app.actor();
    const tradeNo = await placeOrder(user, await sell());
    await shop.epay.notify(tradeNo);
    const [bought] = await own(user);
    if (bought === undefined) throw new Error('the order was not delivered');
    await end(bought.id);
    const rowOf = () =>
      shop.app.store.db
        .selectFrom('subscriptions')
        .select(['status', 'quota', 'end_reason'])
        .where('id', '=', bought.id)
        .executeTakeFirstOrThrow();
    const ended = await rowOf();
    expect(ended).toMatchObject({ status: 'ended', quota: 0 });
    const { id } = await orderRow(shop, tradeNo);
    const body = { reason: 'asked', amount_minor: 3000, at_provider: true, request_id: newRequestId() };
    shop.epay.refundAnswer = 'refuses';
    expect(await refusalOf(shop.app.client(admin).orders.refund({ params: { id }, body }))).toBe(
      'refund_failed',
    );
    shop.epay.refundAnswer = 'pays';
    expect(await rowOf()).toEqual(ended);
  });

  test('what is left of a subscription is shown without what running calls hold (M21)', async () => {
    const plan = await sell();
    const user = await shop.app.actor({ quota: 400_000 });
    const { id } = await buy(user, plan);
    const { requestId } = await reserve(shop.app.ledger, user.id, 0, 300_000, planFirst(id));
    expect(await own(user)).toMatchObject([{ id, left: 700_000 }]);
    await shop.app.ledger.settle(requestId, outcome(100_000, { log: null }));
    expect(await own(user)).toMatchObject([{ id, left: 900_000 }]);
  });

  test('a subscription that was ended, and one that is over, are renewed neither from the balance nor by an order (M21)', async () => {
    const plan = await sell({ duration_unit: 'day', duration_count: 30, reset: 'never', price_quota: 100 });
    const user = await shop.app.actor({ quota: 1000 });
    const [ended, over] = [await buy(user, plan), await buy(user, plan)];
    await end(ended.id);
    await age(shop.app.store, over.id, 31 * daySeconds);
    for (const { id: renews } of [ended, over]) {
      expect(await refusalOf(buy(user, plan, { renews }))).toBe('subscription_not_renewable');
      expect(await refusalOf(placeOrder(user, plan, { renews }))).toBe('subscription_not_renewable');
    }
    expect(await balanceOf(shop, user)).toBe(800);
  });

  test('a subscription that is over takes no agreement to renew, and a deleted user is not renewed (M21)', async () => {
    const plan = await sell({ duration_unit: 'day', duration_count: 30, reset: 'never', price_quota: 100 });
    const user = await shop.app.actor({ quota: 1000 });
    const agree = (id: number) =>
      shop.app.client(user).plans.autoRenew({ params: { id }, body: { auto_renew: true } });
    const ended = await buy(user, plan);
    await end(ended.id);
    expect(await refusalOf(agree(ended.id))).toBe('subscription_not_renewable');
    const over = await buy(user, plan);
    await age(shop.app.store, over.id, 31 * daySeconds);
    expect(await refusalOf(agree(over.id))).toBe('subscription_not_renewable');

    const running = await buy(user, plan);
    await agree(running.id);
    await age(shop.app.store, running.id, 29 * daySeconds + 60);
    await shop.app.store.db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', user.id).execute();
    const { store, settings, ledger, log } = shop.app;
    const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
    const providers = createProviders({ settings, egress });
    const payments = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
    await advanceSubscriptions({ ...shop.app, payments }, new AbortController().signal);
    egress.close();
    expect(await balanceOf(shop, user)).toBe(700);
  });

  test('the recent revenue is that of the last thirty days (M21)', async () => {
    const plan = await sell({ price_quota: 300 });
    const user = await shop.app.actor({ quota: 1000 });
    const before = await asAdmin().list();
    const bought = [await buy(user, plan), await buy(user, plan)];
    await shop.app.store.db
      .updateTable('subscriptions')
      .set((column) => ({ created_at: column('created_at', '-', 31 * daySeconds) }))
      .where('id', '=', bought[0]?.id ?? 0)
      .execute();
    const after = await asAdmin().list();
    expect(after.revenue_quota - before.revenue_quota).toBe(600);
    expect(after.recent_revenue_quota - before.recent_revenue_quota).toBe(300);
  });
});
