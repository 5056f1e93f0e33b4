// Payments: who paid, what was refunded, and how each order came to its end.
import { sql } from 'kysely';
import { index, TableMaker, type Migration } from './migration.ts';

const columns = [
  ['payer', 'text', `''`],
  ['refunded_minor', 'bigint', '0'],
  ['refunded_quota', 'bigint', '0'],
  ['next_query_at', 'bigint', '0'],
  ['queries', 'bigint', '0'],
] as const;

export const payments: Migration = {
  name: '0044-payments',
  async up(db, dialect) {
    for (const [name, type, initial] of columns) {
      const columnType = type === 'bigint' && dialect === 'sqlite' ? 'integer' : type;
      await db.schema
        .alterTable('orders')
        .addColumn(name, sql.raw(columnType), (column) => column.notNull().defaultTo(sql.raw(initial)))
        .execute();
    }
    await index(db, 'orders', ['status', 'next_query_at']);
    await index(db, 'orders', ['created_at']);

    await new TableMaker(db, dialect, 'order_events')
      .id()
      .requiredIntegers('order_id', 'created_at')
      .requiredText('kind')
      .text('detail')
      .create();
    await index(db, 'order_events', ['order_id', 'id']);

    await new TableMaker(db, dialect, 'refunds')
      .id()
      .uniqueText('request_id')
      .requiredIntegers('order_id', 'user_id', 'created_at')
      .amounts('amount_minor', 'quota')
      .oneOf('status', ['pending', 'done', 'failed'], 'pending')
      .text('provider_reference', 'reason')
      .integers('actor_id')
      .create();
    await index(db, 'refunds', ['order_id']);
    await index(db, 'refunds', ['status', 'created_at']);
  },
};
