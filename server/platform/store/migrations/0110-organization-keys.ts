// Admin keys of organizations: the member who made one stays its `user_id`.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const organizationKeys: Migration = {
  name: '0110-organization-keys',
  async up(db, dialect) {
    await db.schema
      .alterTable('admin_keys')
      .addColumn('organization_id', sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
        column.notNull().defaultTo(0),
      )
      .execute();
  },
};
