// Files of an organization are those of a project. One that is there gets the project that its key has at the upgrade.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const filesOfProjects: Migration = {
  name: '0122-files-of-projects',
  async up(db, dialect) {
    await db.schema
      .alterTable('files')
      .addColumn('project_id', sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
        column.notNull().defaultTo(0),
      )
      .execute();
    await sql`update files set project_id = (select project_id from tokens where tokens.id = files.token_id)
      where user_id in (select id from organizations)
        and exists (select 1 from tokens where tokens.id = files.token_id)`.execute(db);
  },
};
