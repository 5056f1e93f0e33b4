// A receipt names the seller of the day of the payment, not of today.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const receipts: Migration = {
  name: '0048-receipts',
  async up(db) {
    await db.schema
      .alterTable('orders')
      .addColumn('seller', 'text', (column) => column.notNull().defaultTo(sql.raw(`''`)))
      .execute();
  },
};
