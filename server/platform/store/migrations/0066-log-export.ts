// Up to which log row the receiver of the export has everything.
import { sql } from 'kysely';
import { TableMaker, type Migration } from './migration.ts';

export const logExport: Migration = {
  name: '0066-log-export',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'log_export')
      .requiredIntegers('id')
      .integers('through_id')
      .primaryKey('id')
      .create();
    await sql`insert into log_export (id, through_id) values (1, 0)`.execute(db);
  },
};
