// The audit scenarios of admin keys.
import { byRoot, byUser, unique, type Scenario } from './audit-stage.ts';

export const ORGANIZATION_SCENARIOS: Record<string, Scenario> = {
  'adminKeys.create': {
    action: 'admin_key.create',
    prepare: byUser(() => ({ path: '/api/admin_key/', body: { name: unique('k') } })),
  },
  'adminKeys.createForSite': {
    action: 'admin_key.create',
    prepare: byRoot(() => ({ path: '/api/admin_key/site', body: { name: unique('k') } })),
  },
  'adminKeys.remove': {
    action: 'admin_key.revoke',
    prepare: byUser(async ({ app }, user) => {
      const { id } = await app.client(user).adminKeys.create({ body: { name: unique('k') } });
      return { path: `/api/admin_key/${id}/`, method: 'DELETE' };
    }),
  },
};
