// Requests and tokens per minute of a project, which all of its keys share. The keys have a copy: the ledger reads their rows with
// each call.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const projectLimits: Migration = {
  name: '0114-project-limits',
  async up(db, dialect) {
    const type = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    const add = async (table: string, ...columns: string[]) => {
      for (const column of columns)
        await db.schema
          .alterTable(table)
          .addColumn(column, type, (builder) => builder.notNull().defaultTo(0))
          .execute();
    };
    await add('projects', 'requests_per_minute', 'tokens_per_minute');
    await add('tokens', 'project_requests_per_minute', 'project_tokens_per_minute');
  },
};
