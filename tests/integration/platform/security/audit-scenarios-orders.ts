// The audited calls of top-up orders.
import { byRoot, now, unique, type Scenario, type Stage } from './audit-stage.ts';

/** An unpaid order of a new user. */
const makeOrder = async ({ app }: Stage): Promise<number> => {
  const { id: user_id } = await app.createUser();
  const { id } = await app.store.db
    .insertInto('orders')
    .values({
      trade_no: unique('order'),
      user_id,
      provider: 'epay',
      amount_minor: 100,
      currency: 'CNY',
      quota: 1000,
      created_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
};

/** A refund whose outcome the provider did not say. */
const makeOpenRefund = async (stage: Stage) => {
  const id = await makeOrder(stage);
  const { orders } = stage.app.client(stage.root);
  await orders.complete({ params: { id }, body: { reason: 'paid' } });
  const request_id = unique('refund-');
  const body = { reason: 'asked', amount_minor: 100, at_provider: true, request_id };
  // No provider is configured, so nothing is sent and the refund stays open.
  await orders.refund({ params: { id }, body });
  const { id: refund_id } = await stage.app.store.db
    .updateTable('refunds')
    .set({ created_at: now() - 3600 })
    .where('request_id', '=', request_id)
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, refund_id };
};

export const ORDER_SCENARIOS: Record<string, Scenario> = {
  'orders.complete': {
    action: 'order.complete',
    prepare: byRoot(async (stage) => ({
      path: `/api/order/${await makeOrder(stage)}/complete`,
      body: { reason: 'seen in the bank' },
    })),
  },
  'orders.refund': {
    action: 'order.refund',
    prepare: byRoot(async (stage) => {
      const id = await makeOrder(stage);
      await stage.app.client(stage.root).orders.complete({ params: { id }, body: { reason: 'paid' } });
      const body = { reason: 'asked', amount_minor: 100, at_provider: false, request_id: unique('refund-') };
      return { path: `/api/order/${id}/refund`, body };
    }),
  },
  'orders.endRefund': {
    action: 'order.refund_end',
    prepare: byRoot(async (stage) => {
      const { id, refund_id } = await makeOpenRefund(stage);
      const body = { refund_id, is_paid_back: false, reason: 'not in the list of refunds' };
      return { path: `/api/order/${id}/refund/end`, body };
    }),
  },
};
