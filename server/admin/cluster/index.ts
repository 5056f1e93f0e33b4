// The nodes for the super admin: how each is, and which of them drains.
import type { Transaction } from 'kysely';
import type { cluster, NodeView } from '#contract/operating/cluster.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handlers, RequestContext } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { databaseBytes, readQueues, readStandbys } from './queues.ts';
import { reportOf } from './rows.ts';

export { createPlaceFacts } from './place.ts';
export { createReporter, type Reporter } from './reporter.ts';
export { removeOldReports } from './rows.ts';

/** Between two reports of a node. */
export const REPORT_SECONDS = 5;
/** Six missed reports. */
const SILENT_AFTER_SECONDS = 6 * REPORT_SECONDS;

interface ClusterParts {
  store: Store;
  nodeId: string;
}

export function createClusterHandlers({ store, nodeId }: ClusterParts): Handlers<typeof cluster> {
  const viewOf = (row: Row<'node_reports'>, drained: ReadonlySet<string>): NodeView => {
    const report = reportOf(row);
    const isSilent = row.reported_at < unixSeconds() - SILENT_AFTER_SECONDS;
    return {
      ...report,
      id: row.node_id,
      state: isSilent ? 'silent' : report.is_draining ? 'draining' : 'serving',
      drain_wanted: drained.has(row.node_id),
      reported_at: row.reported_at,
      is_here: row.node_id === nodeId,
    };
  };

  async function nodes(db: Store['db'] | Transaction<Schema>): Promise<NodeView[]> {
    const reports = await db.selectFrom('node_reports').selectAll().orderBy('node_id').execute();
    const drained = new Set(
      (await db.selectFrom('node_drains').selectAll().execute()).map((row) => row.node_id),
    );
    return reports.map((row) => viewOf(row, drained));
  }

  async function setDrain(id: string, isWanted: boolean, context: RequestContext): Promise<null> {
    await store.db.transaction().execute(async (transaction) => {
      const all = await nodes(transaction);
      const node = all.find((each) => each.id === id);
      if (node === undefined) throw new AppError('not_found');
      const stays = ({ id: other, state, drain_wanted }: NodeView) =>
        other !== id && state === 'serving' && !drain_wanted;
      if (isWanted && !all.some(stays)) throw new AppError('cluster_last_node');
      if (isWanted && !node.drain_wanted)
        await transaction.insertInto('node_drains').values({ node_id: id }).execute();
      if (!isWanted) await transaction.deleteFrom('node_drains').where('node_id', '=', id).execute();
      await context.audit(
        transaction,
        isWanted ? 'node.drain' : 'node.resume',
        `node:${id}`,
        { drain_wanted: node.drain_wanted },
        { drain_wanted: isWanted },
      );
    });
    return null;
  }

  return {
    async view() {
      const [all, queues, standbys, bytes] = await Promise.all([
        nodes(store.db),
        readQueues(store),
        readStandbys(store),
        databaseBytes(store),
      ]);
      return { nodes: all, queues, standbys, database: { engine: store.dialect, bytes } };
    },
    drain: ({ params }, context) => setDrain(params.id, true, context),
    resume: ({ params }, context) => setDrain(params.id, false, context),
  };
}
