// The audited calls of resellers.
import type { Actor } from '#tests/support/application.ts';
import { byRoot, byUser, unique, type Scenario, type Stage } from './audit-stage.ts';

/** Makes the user an agent with dividends. */
async function earned({ app, root }: Stage, { id }: Pick<Actor, 'id'>): Promise<void> {
  await app.client(root).agents.set({ body: { user_id: id, rate_percent: 10, active: true } });
  const idem = unique('dividend:test:');
  await app.store.db.transaction().execute(async (transaction) => {
    await app.ledger.transferWithin(transaction, {
      idem,
      userId: id,
      amount: 10_000_000,
      from: 'world:dividend',
      to: 'agent',
      kind: 'dividend',
      reference: '',
    });
    await transaction
      .insertInto('dividends')
      .values({ idem, created_at: 1, agent_id: id, customer_id: 0, level: 1, amount: 10_000_000 })
      .execute();
  });
}

const withdrawal = () => ({
  quota: 6_000_000,
  method: 'alipay',
  account: 'somebody',
  request_id: unique('withdrawal-'),
});

export const AGENT_SCENARIOS: Record<string, Scenario> = {
  'agents.set': {
    action: 'agent.set',
    prepare: byRoot(async ({ app }) => {
      const { id } = await app.createUser();
      return {
        path: '/api/agent/',
        method: 'PUT',
        body: { user_id: id, rate_percent: 12.5, active: true },
      };
    }),
  },
  'agents.transfer': {
    action: 'agent.transfer',
    prepare: byUser(async (stage, user) => {
      await earned(stage, user);
      return { path: '/api/agent/self/transfer', body: { quota: 5, request_id: unique('transfer-') } };
    }),
  },
  'agents.withdraw': {
    action: 'withdrawal.request',
    prepare: byUser(async (stage, user) => {
      await earned(stage, user);
      return { path: '/api/agent/self/withdraw', body: withdrawal() };
    }),
  },
  'agents.decide': {
    action: 'withdrawal.refuse',
    prepare: byRoot(async (stage) => {
      const user = await stage.app.actor();
      await earned(stage, user);
      const { id } = await stage.app.client(user).agents.withdraw({ body: withdrawal() });
      return {
        path: `/api/agent/withdrawals/${id}/decide`,
        body: { action: 'refuse', note: 'wrong account' },
      };
    }),
  },
};
