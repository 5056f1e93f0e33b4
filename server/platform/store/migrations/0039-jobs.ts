// When each job last ran, how it ended, and which node holds its lease.
import { TableMaker, type Migration } from './migration.ts';

export const jobs: Migration = {
  name: '0039-jobs',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'jobs')
      .requiredText('name', 'node_id')
      .text('owner')
      .integers('fence', 'lease_until_ms', 'next_run_ms', 'started_ms', 'finished_ms', 'duration_ms')
      .text('error')
      .integers('failures', 'runs')
      .primaryKey('name', 'node_id')
      .create();
  },
};
