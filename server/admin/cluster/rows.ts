// The table of reports: one row for each node that ever ran, removed when it has been silent for a week.
import { nodeReport, type NodeReport } from '#contract/operating/cluster.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

const REMOVED_AFTER_SECONDS = 7 * 86_400;

/** Returns whether the node is asked to drain. */
export async function writeReport({ db }: Store, nodeId: string, report: NodeReport): Promise<boolean> {
  const columns = { report: JSON.stringify(report), reported_at: unixSeconds() };
  await db
    .insertInto('node_reports')
    .values({ node_id: nodeId, ...columns })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet(columns))
    .execute();
  const wish = await db
    .selectFrom('node_drains')
    .select('node_id')
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  return wish !== undefined;
}

/** A node that starts serves: the wish to drain was for the process before it. */
export async function forgetDrain({ db }: Store, nodeId: string): Promise<void> {
  await db.deleteFrom('node_drains').where('node_id', '=', nodeId).execute();
}

/** A report of a newer version may lack fields of this one: such a node is shown without figures rather than not at all. */
export function reportOf({ report }: Pick<Row<'node_reports'>, 'report'>): NodeReport {
  const read = nodeReport.partial().safeParse(JSON.parse(report));
  return { ...UNKNOWN_REPORT, ...(read.success ? read.data : {}) };
}

const UNKNOWN_REPORT: NodeReport = {
  host: '',
  version: '',
  process_id: 0,
  started_at: 0,
  is_draining: false,
  calls: 0,
  calls_per_second: 0,
  admission: 'open',
  refused: 0,
  delay_ms: 0,
  database_ms: 0,
  memory_mb: 0,
  cpu_percent: 0,
};

export async function removeOldReports({ db }: Store): Promise<void> {
  await db
    .deleteFrom('node_reports')
    .where('reported_at', '<', unixSeconds() - REMOVED_AFTER_SECONDS)
    .execute();
}
