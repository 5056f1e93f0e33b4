// A token may ask for strict conversion, so that a caller need not say so with every call.
import type { Migration } from './migration.ts';

export const strictTokens: Migration = {
  name: '0034-strict-tokens',
  async up(db) {
    await db.schema
      .alterTable('tokens')
      .addColumn('strict_conversion', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
