// The audited calls of plans and subscriptions.
import { byRoot, byUser, unique, type Scenario, type Stage } from './audit-stage.ts';

const fields = () => ({
  name: unique('plan'),
  price_quota: 1000,
  duration_unit: 'month' as const,
  duration_count: 1,
  quota: 5000,
  reset: 'monthly' as const,
  on_sale: true,
});

const makePlan = async ({ app, root }: Stage): Promise<number> =>
  (await app.client(root).plans.create({ body: fields() })).id;

const grantTo = async (stage: Stage, user_id: number): Promise<number> => {
  const body = { plan_id: await makePlan(stage), user_id, request_id: unique('request-') };
  return (await stage.app.client(stage.root).plans.grant({ body })).id;
};

export const PLAN_SCENARIOS: Record<string, Scenario> = {
  'plans.create': {
    action: 'plan.create',
    prepare: byRoot(() => ({ path: '/api/plan/manage', body: fields() })),
  },
  'plans.change': {
    action: 'plan.change',
    prepare: byRoot(async (stage) => ({
      path: `/api/plan/manage/${await makePlan(stage)}`,
      method: 'PUT',
      body: fields(),
    })),
  },
  'plans.remove': {
    action: 'plan.remove',
    prepare: byRoot(async (stage) => ({
      path: `/api/plan/manage/${await makePlan(stage)}`,
      method: 'DELETE',
    })),
  },
  'plans.buy': {
    action: 'plan.buy',
    prepare: byUser(async (stage) => ({
      path: `/api/plan/${await makePlan(stage)}/buy`,
      body: { request_id: unique('request-'), price_quota: 1000 },
    })),
  },
  'plans.preference': {
    action: 'plan.preference',
    prepare: byUser(() => ({
      path: '/api/plan/self/preference',
      method: 'PUT',
      body: { wallet_first: true },
    })),
  },
  'plans.autoRenew': {
    action: 'plan.renewal',
    prepare: byUser(async (stage, { id }) => ({
      path: `/api/plan/self/${await grantTo(stage, id)}/renewal`,
      method: 'PUT',
      body: { auto_renew: true },
    })),
  },
  'plans.grant': {
    action: 'plan.grant',
    prepare: byRoot(async (stage) => {
      const { id: user_id } = await stage.app.createUser();
      const body = { plan_id: await makePlan(stage), user_id, request_id: unique('request-') };
      return { path: '/api/plan/subscriptions', body };
    }),
  },
  'plans.end': {
    action: 'plan.end',
    prepare: byRoot(async (stage) => {
      const { id } = await stage.app.createUser();
      return { path: `/api/plan/subscriptions/${await grantTo(stage, id)}/end`, body: { reason: 'asked' } };
    }),
  },
};
