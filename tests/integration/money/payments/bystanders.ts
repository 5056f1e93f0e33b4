// An agent and a customer who take no part in a test, with orders, refunds, disputes, subscriptions and withdrawals in every
// state. A statement that misses the condition of its owner or of a state changes a row of theirs.
import { expect } from 'bun:test';
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { StripeDispute } from '#mock/payments/stripe.ts';
import { planFields } from '#tests/integration/money/plans/world.ts';
import type { Actor } from '#tests/support/application.ts';
import { order, orderRow, type Shop } from './support.ts';

export interface Bystanders {
  agent: Actor;
  customer: Actor;
  expectUnchanged(): Promise<void>;
}

/** Table → the column that names the owner of a row. */
const owned = {
  orders: 'user_id',
  refunds: 'user_id',
  disputes: 'user_id',
  subscriptions: 'user_id',
  ledger: 'user_id',
  notices: 'user_id',
  agents: 'user_id',
  withdrawals: 'user_id',
  dividends: 'agent_id',
} as const;

/** What jobs write: when they ask about a pending refund again, and when they send a notice. */
const changedByJobs: Partial<Record<string, readonly string[]>> = {
  refunds: ['created_at', 'next_query_at', 'queries'],
  notices: ['dispatched_at'],
};

export async function standBeside(shop: Shop): Promise<Bystanders> {
  const root = await shop.app.actor({ role: ROLE.root });
  const agent = await shop.app.actor();
  await shop.app.client(root).agents.set({ body: { user_id: agent.id, rate_percent: 10, active: true } });
  const customer = await shop.app.actor({ quota: 2_000_000, row: { inviter_id: agent.id } });
  await makeOrders(shop, root, customer);
  await makeSubscriptions(shop, root, customer);
  await makeWithdrawals(shop, root, agent);
  const read = () => rowsOf(shop, [agent.id, customer.id]);
  const before = await read();
  return {
    agent,
    customer,
    async expectUnchanged() {
      expect(await read()).toEqual(before);
      expect(await misnamed(shop)).toEqual([]);
    },
  };
}

/** Log rows with the name of another user than the one they are about. */
async function misnamed({ app: { store } }: Shop) {
  return await store.db
    .selectFrom('logs')
    .innerJoin('users', 'users.id', 'logs.user_id')
    .select(['logs.user_id', 'logs.username', 'logs.content'])
    .whereRef('logs.username', '<>', 'users.username')
    .where('logs.username', '<>', '')
    .execute();
}

async function makeOrders(shop: Shop, root: Actor, payer: Actor): Promise<void> {
  const { app, stripe } = shop;
  const webhook = `${app.url}/api/stripe/webhook`;
  const place = async () => (await order(shop, payer, { method: 'stripe' })).tradeNo;
  const paid = async () => {
    const tradeNo = await place();
    stripe.pay(tradeNo);
    await stripe.notify(webhook, tradeNo);
    return tradeNo;
  };
  const refund = async (part: number, answer: typeof stripe.refundAnswer) => {
    const tradeNo = await paid();
    const { id, amount_minor } = await orderRow(shop, tradeNo);
    const amounts = { amount_minor: Math.floor(amount_minor * part), at_provider: true };
    stripe.refundAnswer = answer;
    const body = { ...amounts, reason: 'asked', request_id: `bystander-${tradeNo}` };
    await app.request(`/api/order/${id}/refund`, { as: root, body });
    stripe.refundAnswer = 'pays';
  };
  const dispute = async (...states: StripeDispute['status'][]) => {
    const tradeNo = await paid();
    for (const [index, status] of states.entries()) {
      const claim = stripe.disputeOf(tradeNo, { status, amount: 300 });
      await stripe.send(webhook, 'charge.dispute.updated', claim, 10 + index);
    }
  };
  await place();
  const expired = await place();
  await app.store.db
    .updateTable('orders')
    .set({ status: 'expired' })
    .where('trade_no', '=', expired)
    .execute();
  // No question is due about them.
  await app.store.db
    .updateTable('orders')
    .set({ next_query_at: 0 })
    .where('user_id', '=', payer.id)
    .execute();
  await paid();
  await refund(1, 'pays');
  await refund(0.5, 'pays');
  await refund(0.5, 'pends');
  await refund(0.5, 'refuses');
  await dispute('needs_response');
  await dispute('needs_response', 'won');
  await dispute('needs_response', 'lost');
}

async function makeSubscriptions({ app, stripe }: Shop, root: Actor, user: Actor): Promise<void> {
  const client = app.client(user);
  const body = planFields({ name: 'Bystander', currency: 'USD', price_quota: 100_000 });
  const plan = await app.client(root).plans.create({ body });
  const params = { id: plan.id };
  let bought = 0;
  const buy = (more: { renews?: number } = {}) => {
    const request_id = `bystander-${user.id}-${(bought += 1)}`;
    return client.plans.buy({ params, body: { request_id, price_quota: plan.price_quota, ...more } });
  };
  const { id: renewed } = await buy();
  await buy({ renews: renewed });
  const { id: renewing } = await buy();
  await client.plans.autoRenew({ params: { id: renewing }, body: { auto_renew: true } });
  const { id: ended } = await buy();
  await app.client(root).plans.end({ params: { id: ended }, body: { reason: 'asked' } });
  await app.store.db.updateTable('subscriptions').set({ ended_noticed: 1 }).where('id', '=', ended).execute();
  const byOrder = { payment_method: 'stripe', price_minor: plan.price_minor } as const;
  const { trade_no } = await client.plans.order({ params, body: byOrder });
  stripe.pay(trade_no);
  await stripe.notify(`${app.url}/api/stripe/webhook`, trade_no);
}

async function makeWithdrawals({ app }: Shop, root: Actor, agent: Actor): Promise<void> {
  const { WithdrawalMinimum } = app.settings.current;
  await app.settings.set('WithdrawalMinimum', '0.1', 0);
  for (const actions of [[], ['approve'], ['approve', 'pay'], ['refuse']]) {
    const request = { quota: 300_000, method: 'alipay', account: 'bystander@example.org' };
    const body = { ...request, request_id: `bystander-${actions.join('-')}` };
    const reply = await app.request('/api/agent/self/withdraw', { as: agent, body });
    const { id } = reply.body.data as { id: number };
    for (const action of actions)
      await app.request(`/api/agent/withdrawals/${id}/decide`, { as: root, body: { action, note: 'x' } });
  }
  await app.settings.set('WithdrawalMinimum', String(WithdrawalMinimum), 0);
}

async function rowsOf({ app: { store } }: Shop, ids: readonly number[]): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {
    users: await store.db
      .selectFrom('users')
      .select(['id', 'quota', 'used_quota', 'held_quota', 'dividend_quota', 'request_count'])
      .where('id', 'in', ids)
      .orderBy('id')
      .execute(),
    events: await store.db
      .selectFrom('order_events')
      .innerJoin('orders', 'orders.id', 'order_events.order_id')
      .selectAll('order_events')
      .where('orders.user_id', 'in', ids)
      .orderBy('order_events.id')
      .execute(),
  };
  for (const [table, owner] of Object.entries(owned)) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${sql.ref(owner)} in (${sql.join(ids)}) order by 1`.execute(
      store.db,
    );
    const isKept = (name: string) => changedByJobs[table]?.includes(name) !== true;
    found[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => isKept(name))),
    );
  }
  return found;
}
