// Plans and the subscriptions users buy of them: a pocket of quota beside the balance, and the part of a hold it covers.
import { sql } from 'kysely';
import {
  index,
  TableMaker,
  uniqueWhere,
  type DialectName,
  type Migration,
  type MigrationDatabase,
} from './migration.ts';

/** Whole numbers with a default, added to tables that exist. */
const columns = [
  ['users', 'wallet_first'],
  ['users', 'plan_held_quota'],
  ['holds', 'subscription_id'],
  ['holds', 'plan_amount'],
  ['holds', 'plan_period'],
  ['holds', 'plan_first'],
  ['orders', 'plan_id'],
  ['ledger_sums', 'plan'],
] as const;

export const plans: Migration = {
  name: '0046-plans',
  async up(db, dialect) {
    for (const [table, name] of columns) await addInteger(db, dialect, table, name);

    await new TableMaker(db, dialect, 'plans')
      .id()
      .requiredText('name')
      .text('description')
      .amounts('price_minor', 'price_quota', 'quota')
      .text('currency')
      .oneOf('duration_unit', ['day', 'month'], 'month')
      .integer('duration_count', 1)
      .oneOf('reset', ['never', 'daily', 'weekly', 'monthly'], 'never')
      .text('models', 'group')
      .flags('on_sale')
      .integers('limit_per_user', 'sort_order')
      .requiredIntegers('created_at')
      .nullableIntegers('deleted_at')
      .create();

    await new TableMaker(db, dialect, 'subscriptions')
      .id()
      .requiredIntegers('user_id', 'plan_id', 'created_at', 'started_at', 'ends_at')
      .requiredText('plan_name')
      .oneOf('status', ['active', 'ended'], 'active')
      .oneOf('interval_unit', ['day', 'month'], 'month')
      .requiredIntegers('interval_count', 'periods', 'period', 'period_ends_at')
      .amounts('period_quota', 'quota', 'held')
      .text('models', 'group', 'currency', 'end_reason')
      .amounts('price_quota', 'price_minor')
      .oneOf('source', ['balance', 'order', 'grant'], 'balance')
      .integers('order_id', 'follows_id', 'ended_at')
      .amounts('renew_price')
      .flags('ending_noticed', 'ended_noticed')
      .nullableUniqueText('request_key')
      .check('held_covered', '"held" <= "quota"')
      .create();
    await index(db, 'subscriptions', ['user_id', 'status']);
    await index(db, 'subscriptions', ['status', 'period_ends_at']);
    await index(db, 'subscriptions', ['status', 'ends_at']);
    await index(db, 'subscriptions', ['plan_id']);
    await uniqueWhere(db, 'subscriptions', 'order_id', '"order_id" > 0');
  },
};

async function addInteger(
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  name: string,
): Promise<void> {
  await db.schema
    .alterTable(table)
    .addColumn(name, sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
      column.notNull().defaultTo(0),
    )
    .execute();
}
