// Effects of the options of resellers: what dividends are a share of, and the terms of a withdrawal.
import type { AgentOverview } from '#contract/money/resellers.ts';
import type { Effects, Stage } from './effects-stage.ts';

async function overview({ app, root }: Stage): Promise<AgentOverview> {
  const agent = await app.actor();
  await app.client(root).agents.set({ body: { user_id: agent.id, rate_percent: 10, active: true } });
  return await app.client(agent).agents.overview();
}

/** What an agent and the agent's inviter, an agent too, get of an order of 1,000 units. */
async function dividends({ app, root, fresh }: Stage): Promise<number[]> {
  const upper = await app.createUser();
  const agent = await app.createUser({ row: { inviter_id: upper.id } });
  const customer = await app.createUser({ row: { inviter_id: agent.id } });
  for (const { id } of [upper, agent])
    await app.client(root).agents.set({ body: { user_id: id, rate_percent: 10, active: true } });
  const { id } = await app.store.db
    .insertInto('orders')
    .values({
      trade_no: fresh('dividend'),
      user_id: customer.id,
      provider: 'epay',
      amount_minor: 100,
      currency: 'CNY',
      quota: 1000,
      created_at: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.client(root).orders.complete({ params: { id }, body: { reason: 'paid' } });
  const rows = await app.store.db
    .selectFrom('users')
    .select('dividend_quota')
    .where('id', 'in', [upper.id, agent.id])
    .orderBy('id')
    .execute();
  return rows.map(({ dividend_quota }) => dividend_quota);
}

export const agentEffects: Effects = {
  DividendBasis: {
    effect: 'Resellers earn on what their customers pay, or on what they spend',
    text: 'spend',
    observe: dividends,
    before: [0, 100],
    after: [0, 0],
  },
  DividendSecondLevelPercent: {
    effect: 'The share of the reseller who invited the inviter; 0 is off',
    text: '2.5',
    observe: dividends,
    before: [0, 100],
    after: [25, 100],
  },
  WithdrawalMethods: {
    effect: 'The withdrawal methods that resellers can choose; empty: no withdrawals',
    text: 'paypal',
    observe: async (stage) => (await overview(stage)).withdrawal.methods,
    before: ['alipay', 'wechat', 'bank', 'usdt'],
    after: ['paypal'],
  },
  WithdrawalMinimum: {
    effect: 'The smallest withdrawal, in dollars',
    text: '2.5',
    observe: async (stage) => (await overview(stage)).withdrawal.minimum,
    before: 5_000_000,
    after: 1_250_000,
  },
  WithdrawalFeePercent: {
    effect: 'The part of a withdrawal that is not paid out',
    text: '1.5',
    observe: async (stage) => (await overview(stage)).withdrawal.fee_percent,
    before: 0,
    after: 1.5,
  },
};
