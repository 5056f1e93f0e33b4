// The audit scenarios of suppliers, virtual models and comparisons.
import { byRoot, unique, type Scenario, type Stage } from './audit-stage.ts';

const buy_price = '{"kind":"list","multiplier":0.8}';
const path = '/api/channel-costs/suppliers';

/** A supplier that a channel names. */
async function addSupplier({ store }: Stage['app']): Promise<number> {
  const { id } = await store.db
    .insertInto('suppliers')
    .values({ name: unique('supplier '), buy_price })
    .returning('id')
    .executeTakeFirstOrThrow();
  await store.db.insertInto('channels').values({ name: 'bought', supplier_id: id, tag: null }).execute();
  return id;
}

const virtualModel = () => ({ name: unique('virtual-'), targets: [{ model: 'gpt-4o' }] });

async function addVirtualModel({ store }: Stage['app']): Promise<number> {
  const { name } = virtualModel();
  const targets = JSON.stringify([{ model: 'gpt-4o', when: {}, fall_back_on: [] }]);
  const { id } = await store.db
    .insertInto('virtual_models')
    .values({ name, targets, created_at: 1, updated_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const shadow = () => ({ name: unique('shadow '), model: 'gpt-4o', target_model: 'gpt-4.1' });

async function addShadow({ store }: Stage['app']): Promise<number> {
  const { id } = await store.db
    .insertInto('shadows')
    .values({ ...shadow(), rules: '{"groups":[]}', created_at: 1, updated_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const COST_SCENARIOS: Record<string, Scenario> = {
  'channelCosts.createSupplier': {
    action: 'supplier.create',
    prepare: byRoot(async () => ({ path, body: { name: unique('supplier '), buy_price } })),
  },
  'channelCosts.changeSupplier': {
    action: 'supplier.change',
    prepare: byRoot(async ({ app }) => ({
      path: `${path}/${await addSupplier(app)}`,
      method: 'PUT',
      body: { name: unique('supplier '), buy_price: '' },
    })),
  },
  'channelCosts.removeSupplier': {
    action: 'supplier.delete',
    prepare: byRoot(async ({ app }) => ({ path: `${path}/${await addSupplier(app)}`, method: 'DELETE' })),
  },
  'virtualModels.create': {
    action: 'virtual_model.create',
    prepare: byRoot(async () => ({ path: '/api/virtual-model/', body: virtualModel() })),
  },
  'virtualModels.change': {
    action: 'virtual_model.change',
    prepare: byRoot(async ({ app }) => ({
      path: `/api/virtual-model/${await addVirtualModel(app)}`,
      method: 'PUT',
      body: virtualModel(),
    })),
  },
  'virtualModels.remove': {
    action: 'virtual_model.delete',
    prepare: byRoot(async ({ app }) => ({
      path: `/api/virtual-model/${await addVirtualModel(app)}`,
      method: 'DELETE',
    })),
  },
  'shadowCalls.create': {
    action: 'shadow.create',
    prepare: byRoot(async () => ({ path: '/api/shadow/', body: shadow() })),
  },
  'shadowCalls.change': {
    action: 'shadow.change',
    prepare: byRoot(async ({ app }) => ({
      path: `/api/shadow/${await addShadow(app)}`,
      method: 'PUT',
      body: shadow(),
    })),
  },
  'shadowCalls.remove': {
    action: 'shadow.delete',
    prepare: byRoot(async ({ app }) => ({ path: `/api/shadow/${await addShadow(app)}`, method: 'DELETE' })),
  },
  'shadowCalls.removeSamples': {
    action: 'shadow.delete_samples',
    prepare: byRoot(async ({ app }) => ({
      path: `/api/shadow/${await addShadow(app)}/samples`,
      method: 'DELETE',
    })),
  },
  'shadowCalls.texts': {
    action: 'shadow.read_texts',
    prepare: byRoot(async ({ app }) => ({ path: `/api/shadow/${await addShadow(app)}/texts`, body: {} })),
  },
  'shadowCalls.saveConsent': {
    action: 'user.shadow_consent',
    prepare: byRoot(async () => ({
      path: '/api/user/shadow-consent',
      method: 'PUT',
      body: { consent: 'allowed' },
    })),
  },
};
