// The audit scenarios of nodes.
import { byRoot, type Scenario, type Stage } from './audit-stage.ts';

/** Two nodes beside the one that runs. */
async function reportNodes({ store }: Stage['app'], isDrained: boolean): Promise<void> {
  await store.db.deleteFrom('node_reports').execute();
  await store.db.deleteFrom('node_drains').execute();
  const row = { report: '{}', reported_at: Math.floor(Date.now() / 1000) + 60 };
  const nodes = [
    { ...row, node_id: 'drained' },
    { ...row, node_id: 'serving' },
  ];
  await store.db.insertInto('node_reports').values(nodes).execute();
  if (isDrained) await store.db.insertInto('node_drains').values({ node_id: 'drained' }).execute();
}

export const CLUSTER_SCENARIOS: Record<string, Scenario> = {
  'cluster.drain': {
    action: 'node.drain',
    prepare: byRoot(async ({ app }) => {
      await reportNodes(app, false);
      return { path: '/api/cluster/nodes/drained/drain', body: {} };
    }),
  },
  'cluster.resume': {
    action: 'node.resume',
    prepare: byRoot(async ({ app }) => {
      await reportNodes(app, true);
      return { path: '/api/cluster/nodes/drained/resume', body: {} };
    }),
  },
};
