// Online top-up over both providers, each played by a local server that speaks its protocol and counts what it took.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Actor } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

forEachDatabase((label) => {
  let shop: Shop;
  let user: Actor;
  beforeAll(async () => {
    shop = await openShop(label, { TopupGroupRatio: '{"default":1,"vip":0.5,"none":0}' });
    user = await shop.app.actor();
  }, 60_000);
  afterAll(() => shop.close());

  test('REL-7.48 REL-7.49 the price is in data under the message success', async () => {
    const { body } = await shop.app.request('/api/user/amount', { as: user, body: { amount: 10 } });
    expect(body).toMatchObject({
      success: true,
      message: 'success',
      data: '73.00',
      currency: 'CNY',
      quota: 5_000_000,
    });
  });

  test('the group ratio, a preset discount and a promotion change the price once each', async () => {
    const vip = await shop.app.actor({ group: 'vip' });
    const none = await shop.app.actor({ group: 'none' });
    const price = async (as: Actor, body: object) =>
      (await shop.app.request('/api/user/amount', { as, body })).body;
    expect((await price(vip, { amount: 10 })).data).toBe('36.50');
    expect((await price(none, { amount: 10 })).data).toBe('73.00');
    await shop.app.settings.set('TopUpPresets', '[{"amount":10,"discount":0.9}]', 0);
    await shop.app.settings.set(
      'TopUpPromotions',
      '{"SPRING":{"discount":0.5,"until":0},"OLD":{"discount":0.1,"until":5}}',
      0,
    );
    expect((await price(user, { amount: 10 })).data).toBe('65.70');
    expect((await price(user, { amount: 11 })).data).toBe('80.30');
    expect((await price(user, { amount: 10, top_up_code: 'SPRING' })).data).toBe('32.85');
    for (const top_up_code of ['OLD', 'NEVER', '__proto__', 'constructor'])
      expect(await price(user, { amount: 10, top_up_code })).toMatchObject({
        success: false,
        code: 'top_up_code_unknown',
        field: 'top_up_code',
      });
    await shop.app.settings.set('TopUpPresets', '[]', 0);
  });

  test('REL-5.42 REL-8.18 an amount under the minimum is refused with the minimum', async () => {
    await shop.app.settings.set('MinTopUp', '5', 0);
    const zh = await shop.app.request('/api/user/amount', { as: user, body: { amount: 4 }, language: 'zh' });
    expect(zh.body).toMatchObject({ success: false, message: '充值数量不能小于5', field: 'amount' });
    await shop.app.settings.set('MinTopUp', '1', 0);
    for (const amount of [0, -1, 1.5, 'x', 1e308, 1_000_001])
      expect((await shop.app.request('/api/user/amount', { as: user, body: { amount } })).body.success).toBe(
        false,
      );
  });

  test('with quota shown instead of currency an amount is quota, and the minimum too', async () => {
    await shop.app.settings.set('DisplayInCurrencyEnabled', 'false', 0);
    const price = async (amount: number) =>
      (await shop.app.request('/api/user/amount', { as: user, body: { amount } })).body;
    expect(await price(5_000_000)).toMatchObject({ data: '73.00', quota: 5_000_000 });
    expect(await price(750_000)).toMatchObject({ data: '10.95', quota: 750_000 });
    expect((await price(499_999)).code).toBe('top_up_too_small');
    await shop.app.settings.set('DisplayInCurrencyEnabled', 'true', 0);
  });

  test.each([
    ['zfb', 'alipay', 'GET'],
    ['wx', 'wxpay', 'POST'],
  ] as const)(
    'REL-7.50 REL-7.51 REL-7.52 %s: form, page, notice by %s %s, balance',
    async (method, type, how) => {
      const before = await balanceOf(shop, user);
      const { tradeNo, fields, url } = await order(shop, user, { method });
      expect(url).toBe(`${shop.epay.url}/submit.php`);
      expect(fields).toMatchObject({
        pid: shop.epay.pid,
        type,
        money: '73.00',
        out_trade_no: tradeNo,
        sign_type: 'MD5',
      });
      expect(await balanceOf(shop, user)).toBe(before);
      expect(await shop.epay.notify(tradeNo, how)).toBe('success');
      expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
      expect(await shop.epay.notify(tradeNo, how)).toBe('success');
      expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
      expect(await orderRow(shop, tradeNo)).toMatchObject({
        status: 'paid',
        currency: 'CNY',
        amount_minor: 7300,
      });
    },
  );

  test('Stripe: page, signed web hook, balance', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo, fields, url } = await order(shop, user, { method: 'stripe', amount: 20 });
    expect(fields).toEqual({});
    expect(url).toBe(`${shop.stripe.url}/page/${shop.stripe.sessionOf(tradeNo).id}`);
    const paid = await fetch(url, { method: 'POST', redirect: 'manual' });
    expect(paid.headers.get('location')).toBe(`${shop.app.url}/topup?order=${tradeNo}`);
    expect(await balanceOf(shop, user)).toBe(before + 10_000_000);
    expect(await orderRow(shop, tradeNo)).toMatchObject({
      status: 'paid',
      currency: 'USD',
      amount_minor: 2000,
      payer: 'payer@example.com',
      provider_reference: shop.stripe.sessionOf(tradeNo).id,
    });
  });

  test('M9 quota and price are frozen on the order (plan M9)', async () => {
    const before = await balanceOf(shop, user);
    const { tradeNo } = await order(shop, user);
    await shop.app.settings.set('Price', '1', 0);
    await shop.app.settings.set('QuotaPerUnit', '7', 0);
    expect(await shop.epay.notify(tradeNo)).toBe('success');
    expect(shop.app.settings.current.QuotaPerUnit).toBe(7);
    expect(await balanceOf(shop, user)).toBe(before + 5_000_000);
    faultSeen('M9', 'quota per unit 500,000 → 7 and price 7.3 → 1 before the callback: 5,000,000 credited');
    await shop.app.settings.set('Price', '7.3', 0);
    await shop.app.settings.set('QuotaPerUnit', '500000', 0);
  });

  test('M10 a payment for an expired order is credited (plan M10)', async () => {
    const late = await shop.app.actor();
    const { tradeNo } = await order(shop, late);
    await shop.app.store.db
      .updateTable('orders')
      .set({ status: 'expired' })
      .where('trade_no', '=', tradeNo)
      .execute();
    expect(await shop.epay.notify(tradeNo)).toBe('success');
    expect(await balanceOf(shop, late)).toBe(5_000_000);
    faultSeen('M10', 'the order expired before the callback: credited');
  });

  test('own orders: only the own ones, newest first', async () => {
    const other = await shop.app.actor();
    const { tradeNo } = await order(shop, other);
    const list = await shop.app.client(other).orders.own({ query: {} });
    expect(list.items.map((item) => item.trade_no)).toEqual([tradeNo]);
    expect(list.items[0]?.terms).toMatchObject({ dollars: 10, price: 7.3, group: 'default', group_ratio: 1 });
    expect((await shop.app.request(`/api/order/self/${tradeNo}`, { as: user })).status).toBe(404);
    expect((await shop.app.request('/api/order/', { as: other })).status).toBe(403);
  });

  test('a provider that refuses leaves an expired order and a clear sentence', async () => {
    await shop.app.settings.set('StripePrice', '0.001', 0);
    const { body } = await shop.app.request('/api/user/pay', {
      as: user,
      body: { amount: 10, payment_method: 'stripe' },
    });
    expect(body).toMatchObject({ success: false, code: 'payment_provider_failed' });
    await shop.app.settings.set('StripePrice', '1', 0);
    const last = await shop.app.client(user).orders.own({ query: {} });
    expect(last.items[0]).toMatchObject({ provider: 'stripe', status: 'expired' });
  });

  test('a method that is not offered is refused, not replaced by another one', async () => {
    await shop.app.settings.set('EpayMethods', 'zfb', 0);
    const buyer = await shop.app.actor();
    const body = { amount: 10, payment_method: 'wx' };
    for (const path of ['/api/user/amount', '/api/user/pay'])
      expect((await shop.app.request(path, { as: buyer, body })).body).toMatchObject({
        success: false,
        code: 'top_up_method_unknown',
        field: 'payment_method',
      });
    const orders = shop.app.store.db.selectFrom('orders').select('id').where('user_id', '=', buyer.id);
    expect(await orders.execute()).toEqual([]);
    await shop.app.settings.set('EpayMethods', 'zfb,wx', 0);
  });

  test('at most twenty unpaid orders of a user at a time, without those that expired (M21)', async () => {
    const eager = await shop.app.actor();
    for (let count = 0; count < 20; count += 1) await order(shop, eager, { amount: 1 });
    const { body } = await shop.app.request('/api/user/pay', {
      as: eager,
      body: { amount: 1, payment_method: 'zfb' },
    });
    expect(body.code).toBe('top_up_too_many_open');
    // Another user is not counted with them, and what has expired is not counted (M21).
    await order(shop, await shop.app.actor(), { amount: 1 });
    await shop.app.store.db
      .updateTable('orders')
      .set({ expires_at: 1 })
      .where('user_id', '=', eager.id)
      .execute();
    await order(shop, eager, { amount: 1 });
  });

  test('what the providers took is what was credited, and the books hold', async () => {
    const { rows } = {
      rows: await shop.app.store.db
        .selectFrom('ledger')
        .select(['debit_account', 'amount'])
        .where('kind', '=', 'topup')
        .execute(),
    };
    const orders = await shop.app.store.db
      .selectFrom('orders')
      .selectAll()
      .where('status', '=', 'paid')
      .execute();
    const minor = (provider: string) =>
      orders.filter((row) => row.provider === provider).reduce((sum, row) => sum + row.amount_minor, 0);
    expect(shop.epay.taken.cents).toBe(minor('epay'));
    expect(shop.stripe.taken.minor).toBe(minor('stripe'));
    expect(rows.length).toBe(shop.epay.taken.count + shop.stripe.taken.count);
    expect(await breaches(shop)).toEqual([]);
  });

  test('a path of the Stripe address stands before every request (O49)', async () => {
    const paths: string[] = [];
    const gateway = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        paths.push(pathname);
        const { method, headers } = request;
        const body = method === 'GET' ? undefined : await request.text();
        return await fetch(shop.stripe.url + pathname.replace('/to/stripe', '') + search, {
          method,
          headers,
          body,
        });
      },
    });
    await shop.app.settings.set('StripeAddress', `${gateway.url.origin}/to/stripe/`, 0);
    try {
      await order(shop, user, { method: 'stripe', amount: 20 });
      expect(paths).toEqual(['/to/stripe/v1/checkout/sessions']);
    } finally {
      await shop.app.settings.set('StripeAddress', shop.stripe.url, 0);
      await gateway.stop(true);
    }
  });

  test('REL-5.43 REL-8.17 without a provider online top-up is refused and the callbacks do not exist', async () => {
    await shop.app.settings.set('PayAddress', '', 0);
    await shop.app.settings.set('StripeAddress', '', 0);
    const info = await shop.app.client(user).orders.info();
    expect(info).toMatchObject({ enabled: false, methods: [] });
    const pay = await shop.app.request('/api/user/pay', {
      as: user,
      body: { amount: 10, payment_method: 'zfb' },
      language: 'zh',
    });
    expect(pay.body).toMatchObject({ success: false, message: '管理员未开启在线充值！' });
    expect((await fetch(`${shop.app.url}/api/user/epay/notify?a=1`)).status).toBe(404);
    expect((await fetch(`${shop.app.url}/api/stripe/webhook`, { method: 'POST', body: '{}' })).status).toBe(
      404,
    );
  });
});
