// Two nodes on one PostgreSQL: what one has set aside of a balance is no obstacle for the console of the other, and is not shown there.
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { advanceSubscriptions } from '#server/admin/plans/index.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { createProviders } from '#server/money/payments/index.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import type { Actor } from '#tests/support/application.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { restJob } from '#tests/support/jobs.ts';
import {
  balanceOf,
  breaches,
  openShop,
  order,
  orderRow,
  type Shop,
} from '#tests/integration/money/payments/support.ts';
import { age, daySeconds } from '#tests/integration/money/plans/world.ts';
import { callOf, createWorld, grant, newId, outcome, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const ample = 1_000_000;
const setAside = 100;

let shop: Shop;
let admin: Actor;
let user: Actor;
let otherStore: Store;
let other: World;

beforeAll(async () => {
  shop = await openShop('postgres');
  await restJob(shop.app.store, 'subscriptions');
  admin = await shop.app.actor({ role: ROLE.admin });
  const { dataDir, databaseUrl } = shop.place;
  otherStore = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter, onFault: () => {} });
  other = await createWorld(otherStore, { nodeId: 'other' });
});
beforeEach(async () => {
  user = await shop.app.actor();
});
afterAll(async () => {
  expect(await breaches(shop)).toEqual([]);
  await other.close();
  await otherStore.close();
  await shop.close();
});

/** The other node has a slice for a token of the user. Returns the token. */
async function setSomethingAside(): Promise<number> {
  const fields = { name: 'busy', unlimited_quota: false, remain_quota: ample };
  const [token] = await shop.app.client(user).tokens.create({ body: fields });
  if (token === undefined) throw new Error('no token was made');
  const row = otherStore.db.selectFrom('users').select('held_quota').where('id', '=', user.id);
  // Two calls suffice, unless the machine takes seconds for them.
  for (let round = 0; round < 100; round += 1) {
    const opening = await other.ledger.open(callOf(user.id, token.id, setAside));
    if (!opening.ok) throw new Error(opening.reason);
    await other.ledger.settle(opening.call, outcome(0));
    if ((await row.executeTakeFirstOrThrow()).held_quota === setAside) return token.id;
  }
  throw new Error('nothing was set aside');
}

const planOf = async (price: number) =>
  await shop.app.client(admin).plans.create({
    body: {
      name: newId(),
      description: '',
      price_minor: 0,
      currency: 'CNY',
      price_quota: price,
      duration_unit: 'day',
      duration_count: 7,
      quota: 1,
      reset: 'daily',
      models: [],
      group: '',
      on_sale: true,
      limit_per_user: 0,
      sort_order: 0,
    },
  });

const buy = async (price: number) => {
  const { id } = await planOf(price);
  const body = { request_id: newId(), price_quota: price };
  return await shop.app.client(user).plans.buy({ params: { id }, body });
};

test('a page shows as held what running calls hold (M22)', async () => {
  await grant(other.ledger, user.id, ample);
  await setSomethingAside();
  const client = shop.app.client(user);
  const { data: tokens } = await client.tokens.list({ query: {} });
  const query = { keyword: user.username };
  const { items: managed } = await shop.app.client(admin).userManagement.search({ query });
  const shown = [await client.wallet.overview(), await client.users.self(), ...managed, ...tokens];
  expect(shown.map(({ held_quota }) => held_quota)).toEqual([0, 0, 0, 0]);
});

test('a plan is bought for the whole balance (M22)', async () => {
  await grant(other.ledger, user.id, ample);
  await setSomethingAside();
  await buy(ample);
  expect(await balanceOf(shop, user)).toBe(0);
});

test('a subscription is renewed for the whole balance (M22)', async () => {
  await grant(other.ledger, user.id, 2 * ample);
  const { id } = await buy(ample);
  await shop.app.client(user).plans.autoRenew({ params: { id }, body: { auto_renew: true } });
  await age(shop.app.store, id, 6 * daySeconds + 60);
  await setSomethingAside();
  const { store, settings, ledger, log } = shop.app;
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
  const providers = createProviders({ settings, egress });
  const payments = { store, settings, ledger, providers, log, afterPayment: [], afterRefund: [] };
  await advanceSubscriptions({ ...shop.app, payments }, new AbortController().signal);
  egress.close();
  expect(await balanceOf(shop, user)).toBe(0);
});

test('an administrator takes the whole balance (M22)', async () => {
  await grant(other.ledger, user.id, ample);
  await setSomethingAside();
  const body = { id: user.id, quota_change: -ample, quota_reason: 'test' };
  await shop.app.client(admin).userManagement.change({ body });
  expect(await balanceOf(shop, user)).toBe(0);
});

test('a payment is refunded with the whole balance (M22)', async () => {
  const { tradeNo } = await order(shop, user);
  await shop.epay.notify(tradeNo);
  await setSomethingAside();
  const { id, amount_minor } = await orderRow(shop, tradeNo);
  const { body } = await shop.app.request(`/api/order/${id}/refund`, {
    as: admin,
    body: { reason: 'asked for', at_provider: true, amount_minor, request_id: newId() },
  });
  expect(body).toMatchObject({ success: true });
  expect(await balanceOf(shop, user)).toBe(0);
});

test('the quota of a token is set to nothing (M22)', async () => {
  await grant(other.ledger, user.id, ample);
  const id = await setSomethingAside();
  const changed = await shop.app.client(user).tokens.change({ query: {}, body: { id, remain_quota: 0 } });
  expect(changed).toMatchObject({ remain_quota: 0, held_quota: 0 });
});
