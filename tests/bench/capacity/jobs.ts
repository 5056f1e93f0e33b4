// How many rows the jobs pass in a second that run on one node for a whole database, when they wait for nothing but their own work
// and the pauses of the audit. Measured on the rows that the load left.
import { SETTING_KEYS, settingOf, type Settings } from '#contract/settings.ts';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { usageCells } from '#server/admin/usage-api/index.ts';
import { follow, forgetSums } from '#server/money/sums/engine.ts';
import { createLogExport, logExportOrigins } from '#server/operating/log-export/index.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { cpuMicroseconds } from '../process-stats.ts';
import { databaseCpuMicroseconds } from './cpu.ts';
import type { Footprint } from './model.ts';

type JobRates = Pick<Footprint, 'reportRowsPerSecond' | 'exportRowsPerSecond' | 'auditRowsPerSecond'>;

/** The audit waits so many times as long as it worked. */
const AUDIT_PAUSE_FACTOR = 15;

interface Place {
  dataDir: string;
  databaseUrl: string;
  /** Process of PostgreSQL. */
  server: number;
}

export async function measureJobs({ server, ...place }: Place): Promise<JobRates> {
  const store = await openStore({ ...place, writerEntry: applicationWriter });
  const cpu = async (work: () => Promise<unknown>) => {
    const now = () => cpuMicroseconds(process.pid) + databaseCpuMicroseconds(server);
    const before = now();
    await work();
    return now() - before;
  };
  try {
    const { rows } = await store.db
      .selectFrom('logs')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    // Without what a run costs when there is nothing new.
    const rate = async (work: () => Promise<unknown>) => {
      const all = await cpu(work);
      return (rows * 1e6) / Math.max(all - (await cpu(work)), 1);
    };
    // The gateway's own jobs have passed some of the rows.
    await store.db.deleteFrom('usage_cells').execute();
    await forgetSums(store.db, ['cells']);
    await store.db.deleteFrom('ledger_sums').execute();
    const audit = createMoneyAudit({ store, onBreach: () => {}, pause: withoutPause });
    return {
      reportRowsPerSecond: await rate(() => follow(store, usageCells(store))),
      exportRowsPerSecond: await rate(() => exportRows(store)),
      auditRowsPerSecond: (await rate(() => audit.check())) / (1 + AUDIT_PAUSE_FACTOR),
    };
  } finally {
    await store.close();
  }
}

/** To a receiver that answers at once. */
async function exportRows(store: Store): Promise<void> {
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 512 * 1024 * 1024,
    async fetch(request) {
      await request.arrayBuffer();
      return new Response('');
    },
  });
  const current = {
    ...(Object.fromEntries(SETTING_KEYS.map((key) => [key, settingOf(key).fallback])) as unknown as Settings),
    LogExportTarget: 'clickhouse' as const,
    LogExportUrl: `http://127.0.0.1:${receiver.port}`,
    LogExportName: 'calls',
  };
  const egress = createEgress({
    allowedPrivateAddresses: ['127.0.0.1'],
    systemOrigins: () => logExportOrigins(current),
  });
  try {
    await createLogExport({ store, settings: { current }, egress }).run(new AbortController().signal);
  } finally {
    await receiver.stop(true);
  }
}
