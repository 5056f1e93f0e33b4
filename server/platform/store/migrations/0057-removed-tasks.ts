// A batch that its caller deleted: its API no longer shows it, the console and the books do.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const removedTasks: Migration = {
  name: '0057-removed-tasks',
  async up(db, dialect) {
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    await db.schema
      .alterTable('tasks')
      .addColumn('removed_at', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
