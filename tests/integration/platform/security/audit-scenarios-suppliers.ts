// The audit scenarios of suppliers and their bills.
import { addChannel } from '#tests/support/channels.ts';
import { byRoot, type Scenario, type Stage } from './audit-stage.ts';

const channelOf = ({ app }: Stage): Promise<number> =>
  addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'] });

const csv = 'date,model,input_tokens,output_tokens,cost\n2026-11-01,gpt-4o,100,20,0.5\n';

export const SUPPLIER_SCENARIOS: Record<string, Scenario> = {
  'suppliers.trust': {
    action: 'supplier.trust',
    prepare: byRoot(async (stage) => ({
      path: `/api/supplier/${await channelOf(stage)}/trust`,
      method: 'PUT',
      body: { is_trusted: true },
    })),
  },
  'suppliers.importBill': {
    action: 'supplier.import_bill',
    prepare: byRoot(async (stage) => ({
      path: '/api/supplier/bills/',
      body: { name: 'November', shape: 'openai', channel_ids: [await channelOf(stage)], csv },
    })),
  },
  'suppliers.removeBill': {
    action: 'supplier.remove_bill',
    prepare: byRoot(async (stage) => {
      const { id } = await stage.app.client(stage.root).suppliers.importBill({
        body: { name: 'December', shape: 'openai', channel_ids: [await channelOf(stage)], csv },
      });
      return { path: `/api/supplier/bills/${id}`, method: 'DELETE' };
    }),
  },
};
