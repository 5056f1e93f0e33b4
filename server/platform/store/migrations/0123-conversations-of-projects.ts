// Conversations of an organization are those of a project; those that are there stay within the reach of all of its keys.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const conversationsOfProjects: Migration = {
  name: '0123-conversations-of-projects',
  async up(db, dialect) {
    await db.schema
      .alterTable('conversations')
      .addColumn('project_id', sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
        column.notNull().defaultTo(0),
      )
      .execute();
  },
};
