// The audit scenarios of redemption codes.
import { byRoot, byUser, unique, type Scenario, type Stage } from './audit-stage.ts';

/** Creates one code; answers the code and its id. */
async function makeCode({ app, root }: Stage): Promise<{ code: string; id: number }> {
  const name = unique('c');
  const [code = ''] = await app.client(root).redemptions.create({ body: { name, quota: 500 } });
  const { items } = await app.client(root).redemptions.search({ query: { keyword: name } });
  return { code, id: items[0]?.id ?? 0 };
}

export const REDEMPTION_SCENARIOS: Record<string, Scenario> = {
  'redemptions.create': {
    action: 'redemption.create',
    prepare: byRoot(() => ({ path: '/api/redemption/', body: { name: unique('c'), quota: 500, count: 3 } })),
  },
  'redemptions.change': {
    action: 'redemption.change',
    prepare: byRoot(async (stage) => {
      const { id } = await makeCode(stage);
      return { path: '/api/redemption/', method: 'PUT', body: { id, quota: 700 } };
    }),
  },
  'redemptions.batch': {
    action: 'redemption.disable',
    prepare: byRoot(async (stage) => {
      const { id } = await makeCode(stage);
      return { path: '/api/redemption/batch', body: { ids: [id], action: 'disable' } };
    }),
  },
  'redemptions.remove': {
    action: 'redemption.delete',
    prepare: byRoot(async (stage) => {
      const { id } = await makeCode(stage);
      return { path: `/api/redemption/${id}/`, method: 'DELETE', body: {} };
    }),
  },
  'redemptions.redeem': {
    action: 'redemption.redeem',
    prepare: byUser(async (stage) => {
      const { code } = await makeCode(stage);
      return { path: '/api/user/topup', body: { key: code } };
    }),
  },
};
