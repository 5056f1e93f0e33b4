// What an account leaves behind when it is deleted: it is named, plans end, and a payment that comes later is paid back.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { planFields } from '#tests/integration/money/plans/world.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

setDefaultTimeout(60_000);

forEachDatabase((label) => {
  let shop: Shop;
  let admin: Actor;
  beforeAll(async () => {
    shop = await openShop(label);
    admin = await shop.app.actor({ role: ROLE.admin });
  });
  afterEach(async () => {
    shop.epay.refundAnswer = 'pays';
    expect(await breaches(shop)).toEqual([]);
  });
  afterAll(() => shop.close());

  const remove = (id: number, as = admin) =>
    shop.app.client(as).userManagement.manage({ body: { id, action: 'delete' } });
  const refundsOf = (userId: number) =>
    shop.app.store.db
      .selectFrom('refunds')
      .select(['status', 'amount_minor', 'quota', 'reason'])
      .where('user_id', '=', userId)
      .execute();
  const alertsOf = async (tradeNo: string) => {
    const rows = await shop.app.store.db
      .selectFrom('notices')
      .select(['event', 'details'])
      .where('event', '=', 'payment_alert')
      .execute();
    return rows.map(({ details }) => details).filter((details) => details.includes(tradeNo));
  };
  const plansOf = (userId: number) =>
    shop.app.store.db
      .selectFrom('subscriptions')
      .select(['status', 'end_reason', 'quota'])
      .where('user_id', '=', userId)
      .execute();

  /** Balance, a plan and an open order. */
  async function richUser(): Promise<{ user: Actor; tradeNo: string }> {
    const user = await shop.app.actor({ quota: 1_000_000 });
    const plan = await shop.app.client(admin).plans.create({ body: planFields() });
    const body = { request_id: `left-${user.id}-${Date.now()}`, price_quota: plan.price_quota };
    await shop.app.client(user).plans.buy({ params: { id: plan.id }, body });
    return { user, tradeNo: (await order(shop, user)).tradeNo };
  }

  test('a deletion names balance, plans and open orders before and in its answer, and the plans end (O44)', async () => {
    const byAdmin = await richUser();
    const left = {
      quota: 600_000,
      aff_quota: 0,
      plans: [{ plan_name: 'Monthly', left: 1_000_000 }],
      open_orders: [{ trade_no: byAdmin.tradeNo, currency: 'CNY', currency_digits: 2 }],
    };
    const before = await shop.app.client(admin).userManagement.left({ params: { id: byAdmin.user.id } });
    expect(before).toMatchObject(left);
    expect((await remove(byAdmin.user.id)).left).toEqual(before);
    const bySelf = await richUser();
    const own = { ...left, open_orders: [{ trade_no: bySelf.tradeNo }] };
    expect(await shop.app.client(bySelf.user).users.selfLeft()).toMatchObject(own);
    expect(await shop.app.client(bySelf.user).self.remove()).toMatchObject(own);
    for (const { user } of [byAdmin, bySelf])
      expect(await plansOf(user.id)).toEqual([{ status: 'ended', end_reason: 'deleted', quota: 0 }]);
    const audited = await shop.app.store.db
      .selectFrom('audit')
      .select('after')
      .where('target', '=', `user:${bySelf.user.id}`)
      .where('action', '=', 'user.leave')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(audited.after)).toMatchObject({ left: own });
  });

  test('an administrator reads it of users of a lower role only, and a user not at all (O44)', async () => {
    const other = await shop.app.createUser({ role: ROLE.admin });
    const user = await shop.app.actor();
    for (const [as, code] of [
      [admin, 'user_not_manageable'],
      [user, 'no_permission'],
    ] as const) {
      const reply = await shop.app.request(`/api/user/${other.id}/left`, { as });
      expect(reply.body.code).toBe(code);
    }
  });

  test('a payment for a deleted account is paid back, once, and the operators are notified (O44)', async () => {
    const gone = await shop.app.actor();
    const { tradeNo } = await order(shop, gone);
    await remove(gone.id);
    for (let times = 0; times < 3; times += 1) expect(await shop.epay.notify(tradeNo)).toBe('success');
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'refunded', refunded_quota: 5_000_000 });
    expect(await balanceOf(shop, gone)).toBe(0);
    expect(await refundsOf(gone.id)).toMatchObject([{ status: 'done', quota: 5_000_000 }]);
    expect(await alertsOf(tradeNo)).toHaveLength(1);
  });

  test('of a payment for a deleted account that a bank claims a part of, what is left is paid back, once (M21)', async () => {
    const webhook = `${shop.app.url}/api/stripe/webhook`;
    // Of a payment that is claimed whole nothing is left.
    for (const parts of [4, 1]) {
      const gone = await shop.app.actor();
      const { tradeNo } = await order(shop, gone, { method: 'stripe' });
      shop.stripe.pay(tradeNo);
      await remove(gone.id);
      const { amount_minor } = await orderRow(shop, tradeNo);
      const claimed = amount_minor / parts;
      const left = amount_minor - claimed;
      const dispute = shop.stripe.disputeOf(tradeNo, { amount: claimed });
      expect((await shop.stripe.send(webhook, 'charge.dispute.created', dispute)).status).toBe(200);
      const paidBack = shop.stripe.made.length;
      for (let times = 0; times < 2; times += 1) {
        expect((await shop.stripe.notify(webhook, tradeNo)).status).toBe(200);
        expect(await orderRow(shop, tradeNo)).toMatchObject({
          dispute_status: 'open',
          disputed_minor: claimed,
          refunded_minor: left,
        });
        expect(await balanceOf(shop, gone)).toBe(0);
        expect((await refundsOf(gone.id)).map(({ status, amount_minor: minor }) => [status, minor])).toEqual(
          left === 0 ? [] : [['done', left]],
        );
        expect(shop.stripe.made.slice(paidBack).map(({ amount }) => amount)).toEqual(
          left === 0 ? [] : [left],
        );
      }
    }
  });

  test('a refund that the provider refuses leaves the money in the books of the account, and a person is asked (O44)', async () => {
    shop.epay.refundAnswer = 'refuses';
    const gone = await shop.app.actor();
    const { tradeNo } = await order(shop, gone);
    await remove(gone.id);
    expect(await shop.epay.notify(tradeNo)).toBe('success');
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid', refunded_quota: 0 });
    expect(await balanceOf(shop, gone)).toBe(5_000_000);
    expect(await alertsOf(tradeNo)).toHaveLength(2);
  });

  test('a plan that is paid for after the deletion is not active, and its price is paid back (O44)', async () => {
    const gone = await shop.app.actor();
    const plan = await shop.app.client(admin).plans.create({ body: planFields() });
    const placed = await shop.app.client(gone).plans.order({
      params: { id: plan.id },
      body: { payment_method: 'zfb', price_minor: plan.price_minor },
    });
    await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
    await remove(gone.id);
    expect(await shop.epay.notify(placed.trade_no)).toBe('success');
    expect((await plansOf(gone.id)).map(({ status, quota }) => [status, quota])).toEqual([['ended', 0]]);
    expect(await refundsOf(gone.id)).toMatchObject([{ status: 'done', amount_minor: 3000 }]);
  });

  test('an administrator cannot complete an order of a deleted account (O44)', async () => {
    const gone = await shop.app.actor();
    const { tradeNo } = await order(shop, gone);
    await remove(gone.id);
    const { id, status } = await orderRow(shop, tradeNo);
    const reply = await shop.app.request(`/api/order/${id}/complete`, {
      as: admin,
      body: { reason: 'paid' },
    });
    expect(reply.body.code).toBe('user_is_deleted');
    expect(await orderRow(shop, tradeNo)).toMatchObject({ status });
    expect(await balanceOf(shop, gone)).toBe(0);
  });

  test('a payment that races a deletion is credited before it or paid back after it, never lost (O44)', async () => {
    for (let round = 0; round < 8; round += 1) {
      const gone = await shop.app.actor();
      const { tradeNo } = await order(shop, gone);
      const [removed, answer] = await Promise.all([remove(gone.id), shop.epay.notify(tradeNo)]);
      expect(answer).toBe('success');
      const { status } = await orderRow(shop, tradeNo);
      const wasNamed = removed.left?.quota === 5_000_000;
      const expected = wasNamed ? (['paid', 5_000_000] as const) : (['refunded', 0] as const);
      expect([status, await balanceOf(shop, gone)]).toEqual([...expected]);
      expect(await alertsOf(tradeNo)).toHaveLength(wasNamed ? 0 : 1);
    }
  });
});
