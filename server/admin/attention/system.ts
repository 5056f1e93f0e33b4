// The installation itself: the ledger, jobs, backups and what the nodes report of themselves.
import { nodeReport } from '#contract/operating/cluster.ts';
import { factIn } from '#contract/facts.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

export const LEDGER_JOB = 'money-audit';
const BACKUP_JOB = 'backup';
/** What the audit throws when it found something, and not because it could not run. */
const BROKEN = 'broken: ';
const REPEATED_FAILURES = 2;

type JobRow = Row<'jobs'>;

async function jobRows({ store: { db } }: AttentionDependencies): Promise<JobRow[]> {
  return await db.selectFrom('jobs').selectAll().execute();
}

export async function checkLedger(dependencies: AttentionDependencies): Promise<Found[]> {
  const items: Found[] = [];
  const audit = (await jobRows(dependencies)).find(({ name }) => name === LEDGER_JOB);
  if (audit?.error.startsWith(BROKEN) === true) {
    const invariants = audit.error.slice(BROKEN.length);
    items.push(
      found('ledger_broken', {
        mark: markOf([invariants]),
        since: 0,
        subjects: [{ kind: 'job', id: LEDGER_JOB, name: LEDGER_JOB }],
        values: { invariants: invariants.slice(0, 500) },
        address: '/jobs',
      }),
    );
  }
  if (!dependencies.isWritable())
    items.push(
      found('writes_fail', {
        mark: dependencies.nodeId,
        since: 0,
        subjects: [{ kind: 'node', id: dependencies.nodeId, name: dependencies.nodeId }],
        values: {},
        address: '/nodes',
      }),
    );
  return items;
}

/** When the ledger was last found whole. */
export async function ledgerFact(dependencies: AttentionDependencies): Promise<Record<string, number>> {
  const audit = (await jobRows(dependencies)).find(({ name }) => name === LEDGER_JOB);
  return audit === undefined || audit.error !== '' || audit.finished_ms === 0
    ? {}
    : { at: Math.floor(audit.finished_ms / 1000) };
}

export async function checkJobs(dependencies: AttentionDependencies): Promise<Found[]> {
  const [rows, views] = await Promise.all([jobRows(dependencies), dependencies.jobs()]);
  const living = new Set(views.map(({ name, node }) => `${name} ${node}`));
  const titles = new Map(views.map(({ name, title }) => [name, title]));
  const failed = rows.filter(
    ({ name, node_id, owner, failures, error }) =>
      failures >= REPEATED_FAILURES &&
      !(name === LEDGER_JOB && error.startsWith(BROKEN)) &&
      (node_id === '' || living.has(`${name} ${owner}`)),
  );
  return [...Map.groupBy(failed, ({ name }) => name)].map(([name, of]) => {
    const failures = Math.max(...of.map((row) => row.failures));
    const error = of[0]?.error ?? '';
    const title = titles.get(name) ?? { zh: name, en: name };
    return found('job_failed', {
      of: name,
      // Another error is another fact; another failure of the same is not.
      mark: markOf([factIn(error)?.code ?? error.slice(0, 60)]),
      since: 0,
      subjects: [{ kind: 'job', id: name, name }],
      values: { failures, error: error.slice(0, 300), name_zh: title.zh, name_en: title.en },
      address: '/jobs',
    });
  });
}

const BACKUP_HOURS = 26;
/** A run that takes long, or begins late. */
const BACKUP_GRACE_HOURS = 2;

export async function checkBackup(dependencies: AttentionDependencies): Promise<Found[]> {
  const { BackupEveryHours } = dependencies.settings.current;
  if (BackupEveryHours === 0) return [];
  const row = (await jobRows(dependencies)).find(({ name }) => name === BACKUP_JOB);
  // Not yet begun: the job of a new interval runs within minutes.
  if (row === undefined || row.finished_ms === 0) return [];
  const finished = Math.floor(row.finished_ms / 1000);
  const hours = Math.max(BACKUP_HOURS, BackupEveryHours + BACKUP_GRACE_HOURS);
  const isOld = nowSeconds(dependencies) - finished > hours * HOUR_SECONDS;
  if (!isOld && row.error === '') return [];
  return [
    found('backup_old', {
      mark: markOf([row.error === '' ? 'old' : row.error.slice(0, 60)]),
      since: finished,
      subjects: [{ kind: 'job', id: BACKUP_JOB, name: BACKUP_JOB }],
      values: { last_at: row.error === '' ? finished : 0, error: row.error.slice(0, 300) },
      address: '/jobs',
    }),
  ];
}

export async function backupFact(dependencies: AttentionDependencies): Promise<Record<string, number>> {
  const row = (await jobRows(dependencies)).find(({ name }) => name === BACKUP_JOB);
  return row === undefined || row.error !== '' || row.finished_ms === 0
    ? {}
    : { at: Math.floor(row.finished_ms / 1000) };
}

export interface ReportedNode {
  id: string;
  reported_at: number;
  version: string;
  is_draining: boolean;
  /** Undefined: the node does not say. */
  disk_percent: number | undefined;
  certificate_ends_at: number | undefined;
}

/** A report of another version may lack fields. */
export async function readReportedNodes({ store: { db } }: AttentionDependencies): Promise<ReportedNode[]> {
  const rows = await db.selectFrom('node_reports').selectAll().orderBy('node_id').execute();
  return rows.map(({ node_id, reported_at, report }) => {
    const read = nodeReport.partial().safeParse(JSON.parse(report)).data;
    return {
      id: node_id,
      reported_at,
      version: read?.version ?? '',
      is_draining: read?.is_draining ?? false,
      disk_percent: read?.disk_percent,
      certificate_ends_at: read?.certificate_ends_at,
    };
  });
}
