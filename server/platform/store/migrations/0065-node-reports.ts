// What each node last said of itself, and which nodes are asked to drain.
import { TableMaker, type Migration } from './migration.ts';

export const nodeReports: Migration = {
  name: '0065-node-reports',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'node_reports')
      .requiredText('node_id', 'report')
      .requiredIntegers('reported_at')
      .primaryKey('node_id')
      .create();
    await new TableMaker(db, dialect, 'node_drains').requiredText('node_id').primaryKey('node_id').create();
  },
};
