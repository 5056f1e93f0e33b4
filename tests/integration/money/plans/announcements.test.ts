// Callers are known with their subscriptions, and nodes set parts of balances aside: whatever begins, ends or disputes a purchase
// is announced with its user, or calls go on by what a node knew before. The announcement does not depend on the database.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { advanceSubscriptions } from '#server/admin/plans/index.ts';
import { createProviders } from '#server/money/payments/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import type { Actor } from '#tests/support/application.ts';
import { breaches, openShop, order, orderRow, type Shop } from '#tests/integration/money/payments/support.ts';
import { age, daySeconds, planFields } from './world.ts';

setDefaultTimeout(120_000);

let shop: Shop;
let admin: Actor;
let user: Actor;
let announced: (string | undefined)[] = [];
let stop = () => {};
let serial = 0;
beforeAll(async () => {
  shop = await openShop('sqlite');
  admin = await shop.app.actor({ role: ROLE.admin });
  user = await shop.app.actor({ quota: 5_000_000 });
  stop = shop.app.store.changes.subscribe('users', (detail) => void announced.push(detail));
});
afterAll(async () => {
  stop();
  expect(await breaches(shop)).toEqual([]);
  await shop.close();
});

/** What the step was answered with; fails unless the user was announced in it. */
async function announces<Answer>(step: string, act: () => Promise<Answer>): Promise<Answer> {
  announced = [];
  const answer = await act();
  expect([step, announced.includes(String(user.id))]).toEqual([step, true]);
  return answer;
}

const request_id = () => `announced-${(serial += 1)}`;
const plansOf = (as: Actor) => shop.app.client(as).plans;
const webhook = () => `${shop.app.url}/api/stripe/webhook`;
const sell = (currency: 'CNY' | 'USD') => plansOf(admin).create({ body: planFields({ currency }) });
const ordered = async (payment_method: 'zfb' | 'stripe') => {
  const plan = await sell(payment_method === 'zfb' ? 'CNY' : 'USD');
  const body = { payment_method, price_minor: plan.price_minor };
  const placed = await plansOf(user).order({ params: { id: plan.id }, body });
  // The page of Stripe would be paid with it.
  if (payment_method === 'zfb')
    await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
  return placed.trade_no;
};
const refund = async (tradeNo: string, at_provider: boolean) => {
  const { id, amount_minor } = await orderRow(shop, tradeNo);
  const body = { reason: 'asked', amount_minor, at_provider, request_id: request_id() };
  await shop.app.client(admin).orders.refund({ params: { id }, body });
};

test('plans that are bought, given, ended, renewed or set aside are announced with their user (M21)', async () => {
  const plan = await sell('CNY');
  const params = { id: plan.id };
  const bought = await announces('bought', () =>
    plansOf(user).buy({ params, body: { request_id: request_id(), price_quota: plan.price_quota } }),
  );
  await announces('preference', () => plansOf(user).preference({ body: { wallet_first: true } }));
  const given = await announces('given', () =>
    plansOf(admin).grant({ body: { plan_id: plan.id, user_id: user.id, request_id: request_id() } }),
  );
  await announces('ended', () => plansOf(admin).end({ params: { id: given.id }, body: { reason: 'asked' } }));
  await plansOf(user).autoRenew({ params: { id: bought.id }, body: { auto_renew: true } });
  await age(shop.app.store, bought.id, 29 * daySeconds + 7200);
  const { store, settings, ledger, log } = shop.app;
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
  const providers = createProviders({ settings, egress });
  const payments = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
  await announces('renewed', () =>
    advanceSubscriptions({ ...shop.app, payments }, new AbortController().signal),
  );
  egress.close();
});

test('plans of orders that are paid, completed, refunded or not refunded after all are announced (M21)', async () => {
  const first = await ordered('zfb');
  await announces('paid', () => shop.epay.notify(first));
  await announces('refunded', () => refund(first, false));
  const second = await ordered('zfb');
  const { id } = await orderRow(shop, second);
  await announces('completed', () =>
    shop.app.client(admin).orders.complete({ params: { id }, body: { reason: 'seen' } }),
  );
  shop.epay.refundAnswer = 'breaks';
  await refund(second, true);
  shop.epay.refundAnswer = 'pays';
  await shop.app.store.db.updateTable('refunds').set({ created_at: 1 }).where('order_id', '=', id).execute();
  const { refunds } = await shop.app.client(admin).orders.read({ params: { id } });
  const body = { refund_id: refunds[0]?.id ?? 0, is_paid_back: false, reason: 'not paid back' };
  await announces('refund that was not paid', () =>
    shop.app.client(admin).orders.endRefund({ params: { id }, body }),
  );

  const third = await ordered('stripe');
  shop.stripe.pay(third);
  await announces('paid by Stripe', () => shop.stripe.notify(webhook(), third));
  await refund(third, true);
  const made = shop.stripe.made.find(({ metadata }) => metadata?.['trade_no'] === third);
  await announces('refund that came back', () =>
    shop.stripe.send(webhook(), 'refund.failed', { ...made, status: 'failed' }),
  );
});

test('a dispute and its end are announced, also of an order for quota (M21)', async () => {
  const { tradeNo } = await order(shop, user, { method: 'stripe' });
  shop.stripe.pay(tradeNo);
  await shop.stripe.notify(webhook(), tradeNo);
  const say = (type: string, change = {}) =>
    shop.stripe.send(webhook(), `charge.dispute.${type}`, shop.stripe.disputeOf(tradeNo, change));
  await announces('disputed', () => say('created'));
  await announces('won', () => say('closed', { status: 'won' }));
});
