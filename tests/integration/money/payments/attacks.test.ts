// Callbacks that are forged, replayed, changed or meant for another order credit nothing; a genuine one credits once.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startEpayServer } from '#mock/payments/epay.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

forEachDatabase((label) => {
  let shop: Shop;
  let user: Actor;
  beforeAll(async () => {
    shop = await openShop(label);
    user = await shop.app.actor();
  }, 60_000);
  afterAll(() => shop.close());

  const send = async (parameters: URLSearchParams | string) =>
    await (await fetch(`${shop.app.url}/api/user/epay/notify?${parameters.toString()}`)).text();
  const hook = async (body: string, signature: string) =>
    await fetch(`${shop.app.url}/api/stripe/webhook`, {
      method: 'POST',
      body,
      headers: { 'Stripe-Signature': signature },
    });

  async function stillUnpaid(tradeNo: string): Promise<void> {
    expect((await orderRow(shop, tradeNo)).status).toBe('pending');
    expect(await balanceOf(shop, user)).toBe(0);
  }

  test('M8 every field of an Epay notice is covered by its signature (plan M8)', async () => {
    const { tradeNo } = await order(shop, user);
    const genuine = shop.epay.notice(tradeNo);
    for (const [name, value] of genuine) {
      const changed = new URLSearchParams(genuine);
      changed.set(name, name === 'sign' ? '0'.repeat(32) : name === 'sign_type' ? 'NONE' : `${value}9`);
      expect([name, await send(changed)]).toEqual([name, 'fail']);
      const without = new URLSearchParams(genuine);
      without.delete(name);
      if (value !== '' && name !== 'sign_type') expect([name, await send(without)]).toEqual([name, 'fail']);
    }
    faultSeen('M8', `${[...genuine].length} fields of a notice changed and removed`);
    await stillUnpaid(tradeNo);
  });

  test('M8 a re-signed notice with another amount, order, merchant or state credits nothing (plan M8)', async () => {
    const { tradeNo } = await order(shop, user);
    const changes: Record<string, string>[] = [
      { money: '0.01' },
      { money: '7300' },
      { money: '73.001' },
      { money: '-73.00' },
      { money: '73e0' },
      { money: '' },
      { pid: '1002' },
      { out_trade_no: 'USR1NOnone' },
    ];
    for (const change of changes)
      expect([change, await send(shop.epay.notice(tradeNo, change))]).toEqual([change, 'fail']);
    faultSeen('M8', `${changes.length} changed notices signed anew`);
    // A genuine notice that is not a payment is taken and changes nothing.
    expect(await send(shop.epay.notice(tradeNo, { trade_status: 'TRADE_CLOSED' }))).toBe('success');
    await stillUnpaid(tradeNo);
  });

  test('a parameter that occurs twice is refused, wherever it is', async () => {
    const { tradeNo } = await order(shop, user);
    const genuine = shop.epay.notice(tradeNo).toString();
    expect(await send(`money=0.01&${genuine}`)).toBe('fail');
    expect(await send(`${genuine}&money=73.00`)).toBe('fail');
    await stillUnpaid(tradeNo);
  });

  test('M6 an empty key never verifies, also while none is set, and another merchant’s key neither (plan M6)', async () => {
    const { tradeNo } = await order(shop, user);
    for (const key of ['', 'other']) {
      const forger = startEpayServer({ pid: shop.epay.pid, key });
      forger.orders.set(tradeNo, shop.epay.orders.get(tradeNo)!);
      expect(await send(forger.notice(tradeNo))).toBe('fail');
      forger.close();
    }
    await stillUnpaid(tradeNo);
    const forger = startEpayServer({ pid: shop.epay.pid, key: '' });
    forger.orders.set(tradeNo, shop.epay.orders.get(tradeNo)!);
    await shop.app.settings.reset('EpayKey', 0);
    try {
      const query = forger.notice(tradeNo).toString();
      const answer = await fetch(`${shop.app.url}/api/user/epay/notify?${query}`);
      expect(answer.status).toBe(404);
      faultSeen('M6', 'signed with an empty key: refused while a key is set, 404 while none is');
    } finally {
      forger.close();
      await shop.app.settings.set('EpayKey', shop.epay.key, 0);
    }
    await stillUnpaid(tradeNo);
  });

  test('M7 an order of one provider cannot be paid through the other (plan M7)', async () => {
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    shop.epay.orders.set(tradeNo, {
      fields: { out_trade_no: tradeNo, money: '10.00', type: 'alipay', name: 'x' },
      tradeNo: '1',
      isPaid: false,
      refunded: 0,
    });
    expect(await send(shop.epay.notice(tradeNo))).toBe('fail');
    await stillUnpaid(tradeNo);
    expect(shop.app.logged.join('')).toContain('the order belongs to stripe, not to epay');
    faultSeen('M7', 'a signed Epay notice for a Stripe order: refused and logged');
  });

  test('Stripe: wrong secret, old signature, changed body, other amount, currency or session credit nothing (plan M8)', async () => {
    const { tradeNo } = await order(shop, user, { method: 'stripe' });
    const paid = { payment_status: 'paid', status: 'complete' };
    const type = 'checkout.session.completed';
    const forged = await shop.stripe.event(type, tradeNo, paid, 'whsec_other');
    expect((await hook(forged.body, forged.signature)).status).toBe(400);
    const empty = await shop.stripe.event(type, tradeNo, paid, ' ');
    expect((await hook(empty.body, empty.signature)).status).toBe(400);
    const genuine = await shop.stripe.event(type, tradeNo, paid);
    expect((await hook(`${genuine.body} `, genuine.signature)).status).toBe(400);
    expect((await hook(genuine.body, '')).status).toBe(400);
    const old = genuine.signature.replace(/^t=(\d+)/, (_, time: string) => `t=${Number(time) - 4000}`);
    expect((await hook(genuine.body, old)).status).toBe(400);
    for (const change of [{ amount_total: 1 }, { currency: 'jpy' }, { id: 'cs_test_other' }]) {
      const event = await shop.stripe.event(type, tradeNo, { ...paid, ...change });
      expect([change, (await hook(event.body, event.signature)).status]).toEqual([change, 400]);
    }
    faultSeen('M8', 'Stripe: amount, currency and session changed and signed anew');
    // Completed without being paid: a method that takes days. Nothing is credited yet.
    const unpaid = await shop.stripe.event(type, tradeNo, { status: 'complete' });
    expect((await hook(unpaid.body, unpaid.signature)).status).toBe(200);
    await stillUnpaid(tradeNo);
  });

  test('a callback that is no form and no JSON is refused, and so is a large one', async () => {
    for (const body of ['', '\u0000', '<xml/>', 'a'.repeat(1000)])
      expect(
        await (await fetch(`${shop.app.url}/api/user/epay/notify`, { method: 'POST', body })).text(),
      ).toBe('fail');
    const large = await fetch(`${shop.app.url}/api/user/epay/notify`, {
      method: 'POST',
      body: 'a'.repeat(300_000),
    });
    expect(large.status).toBe(413);
  });

  test('M5 a genuine callback, a hundred times in parallel over two nodes, credits once (plan M5)', async () => {
    const payer = await shop.app.actor();
    const nodes: TestApplication[] = [shop.app];
    if (label === 'postgres')
      nodes.push(
        await startApplication({
          place: { dataDir: shop.place.dataDir, databaseUrl: shop.place.databaseUrl! },
          nodeId: 'second',
        }),
      );
    try {
      for (const method of ['zfb', 'stripe']) {
        const before = await balanceOf(shop, payer);
        const { tradeNo } = await order(shop, payer, { method });
        let calls: (() => Promise<string>)[];
        if (method === 'zfb') {
          const notice = shop.epay.notice(tradeNo);
          calls = nodes.map(
            ({ url }) =>
              async () =>
                await (await fetch(`${url}/api/user/epay/notify?${notice.toString()}`)).text(),
          );
        } else {
          shop.stripe.pay(tradeNo);
          calls = nodes.map(({ url }) => async () => {
            const response = await shop.stripe.notify(`${url}/api/stripe/webhook`, tradeNo);
            return response.status === 200 ? 'success' : 'fail';
          });
        }
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) => calls[index % calls.length]!()),
        );
        expect(new Set(answers)).toEqual(new Set(['success']));
        faultSeen('M5', `${label}, nodes: ${nodes.length}: ${answers.length} callbacks accepted, one credit`);
        expect(await balanceOf(shop, payer)).toBe(before + 5_000_000);
      }
    } finally {
      for (const node of nodes.slice(1)) await node.close();
    }
    expect(await breaches(shop)).toEqual([]);
  });

  test('no key, secret or signature is in the log', () => {
    const text = shop.app.logged.join('\n');
    for (const secret of [shop.epay.key, shop.stripe.apiKey, shop.stripe.webhookSecret])
      expect(text).not.toContain(secret);
  });
});
