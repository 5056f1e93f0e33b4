// Money that comes back: disputes of payments, what they freeze of an order, and refunds that the provider has not ended yet.
import { sql } from 'kysely';
import { index, TableMaker, type Migration, type MigrationDatabase } from './migration.ts';

export const disputes: Migration = {
  name: '0082-disputes',
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const add = async (table: string, name: string, type: string, initial: string) =>
      await addColumn(db, { table, name, type, initial });
    for (const name of ['payment_reference', 'dispute_status']) await add('orders', name, 'text', `''`);
    for (const name of ['disputed_minor', 'disputed_quota', 'frozen_quota', 'lost_quota'])
      await add('orders', name, integer, '0');
    for (const name of ['next_query_at', 'queries']) await add('refunds', name, integer, '0');
    await index(db, 'orders', ['payment_reference']);
    await index(db, 'refunds', ['provider_reference']);

    await new TableMaker(db, dialect, 'disputes')
      .id()
      .uniqueText('reference')
      .requiredIntegers('order_id', 'user_id', 'created_at')
      .oneOf('status', ['open', 'won', 'lost'], 'open')
      .integers('status_at')
      .text('reason')
      .amounts('claimed_minor', 'amount_minor', 'booked_minor')
      .amounts('quota', 'frozen_quota', 'waiting_quota', 'lost_quota')
      .integers('moves', 'ledger_from')
      .check('frozen_part', '"frozen_quota" + "waiting_quota" <= "quota"')
      .create();
    await index(db, 'disputes', ['order_id']);
    await index(db, 'disputes', ['waiting_quota']);
  },
};

async function addColumn(
  db: MigrationDatabase,
  { table, name, type, initial }: Record<'table' | 'name' | 'type' | 'initial', string>,
): Promise<void> {
  await db.schema
    .alterTable(table)
    .addColumn(name, sql.raw(type), (column) => column.notNull().defaultTo(sql.raw(initial)))
    .execute();
}
