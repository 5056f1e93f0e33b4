// A node that runs one cluster job until its lease is lost: `bun child.ts <dataDir> [databaseUrl]`.
import { createLog } from '#server/platform/log.ts';
import { createScheduler } from '#server/app/jobs/index.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { LEASE_SECONDS, nodeJob } from './node-job.ts';

const [dataDir = '', databaseUrl] = process.argv.slice(2);
const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
const scheduler = createScheduler({
  store,
  nodeId: 'child',
  log: createLog({ level: 'error', write: (line) => process.stderr.write(line) }),
  leaseSeconds: LEASE_SECONDS,
  jobs: [
    nodeJob(async (signal) => {
      process.stdout.write('begun\n');
      while (!signal.aborted) await Bun.sleep(5);
      process.stdout.write('aborted\n');
    }),
  ],
});
await scheduler.runNow('work');
await new Promise(() => {});
