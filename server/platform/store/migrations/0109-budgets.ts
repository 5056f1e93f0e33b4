// Budgets of organizations: what may be spent in a window, what is spent and held of it, and who asks for more; which budgets a
// hold and a log row count in, and the tags that a caller gave (docs/adr/0109-a-budget-is-a-counter-of-the-ledger.md).
import { sql } from 'kysely';
import { index, TableMaker, type DialectName, type Migration, type MigrationDatabase } from './migration.ts';

const PERIODS = ['day', 'week', 'month', 'total'];

export const budgets: Migration = {
  name: '0109-budgets',
  async up(db, dialect) {
    await createTables(db, dialect);
    const addText = async (table: string, ...columns: string[]) => {
      for (const column of columns)
        await db.schema
          .alterTable(table)
          .addColumn(column, 'text', (builder) => builder.notNull().defaultTo(''))
          .execute();
    };
    await addText('holds', 'budgets');
    await addText('logs', 'budgets', 'tags');
    await addText('organizations', 'tag_keys');
  },
};

async function createTables(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  const table = (name: string) => new TableMaker(db, dialect, name);
  await table('budgets')
    .id()
    .requiredIntegers('organization_id')
    .requiredText('name')
    .oneOf('subject', ['organization', 'project', 'member', 'token', 'tag'], 'organization')
    .integers('subject_id')
    .text('tag_key', 'tag_value')
    .oneOf('period', PERIODS, 'month')
    .amounts('quota')
    .flag('is_hard', 1)
    .text('models')
    .requiredIntegers('created_at', 'created_by')
    .integers('ended_at')
    .create();
  await index(db, 'budgets', ['organization_id']);

  await table('budget_counters')
    .id()
    .requiredIntegers('budget_id', 'organization_id')
    .text('value', 'name')
    .oneOf('period', PERIODS, 'month')
    .flag('is_hard', 1)
    .amounts('quota', 'extra', 'spent', 'held')
    .oneOf('noticed', [0, 50, 80, 100], 0)
    .requiredIntegers('window_start', 'window_end', 'created_at')
    .create();
  await index(db, 'budget_counters', ['budget_id', 'value'], true);
  await index(db, 'budget_counters', ['organization_id']);

  await table('budget_windows')
    .requiredIntegers('counter_id', 'window_start', 'window_end')
    .amounts('spent')
    .primaryKey('counter_id', 'window_start')
    .create();

  await table('budget_requests')
    .id()
    .requiredIntegers('organization_id', 'budget_id', 'counter_id', 'asked_by', 'created_at')
    .amounts('amount', 'granted')
    .text('reason', 'answer')
    .oneOf('status', ['open', 'granted', 'declined'], 'open')
    .integers('decided_at', 'decided_by')
    .create();
  await index(db, 'budget_requests', ['organization_id']);
  // One open question of a person about a counter.
  await sql`create unique index "budget_requests_open" on "budget_requests" ("counter_id", "asked_by")
    where "status" = 'open'`.execute(db);
}
