// What a budget of another gateway had spent in its running window when it was imported. It has no calls here, so the audit needs
// it beside the log.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const broughtSpending: Migration = {
  name: '0116-brought-spending',
  async up(db, dialect) {
    await db.schema
      .alterTable('budget_counters')
      .addColumn('brought', sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
        column.notNull().defaultTo(0),
      )
      .execute();
  },
};
