// How often in a row the upstream of a task could not be asked: the wait before the next question grows with it.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const pollFailures: Migration = {
  name: '0061-poll-failures',
  async up(db, dialect) {
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    await db.schema
      .alterTable('tasks')
      .addColumn('poll_failures', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
