// What calls cost the operator: buy prices of channels and suppliers, the cost beside the charge in the log, and sums by day.
import { sql } from 'kysely';
import { TableMaker, type Migration } from './migration.ts';

export const costs: Migration = {
  name: '0070-costs',
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const run = (text: string) => sql.raw(text).execute(db);
    // Null: unknown. Without a default, no row of the log is rewritten.
    await run(`alter table logs add column cost ${integer}`);
    await run(`alter table channels add column supplier_id ${integer} not null default 0`);
    await run(`alter table channels add column buy_price text not null default ''`);
    await new TableMaker(db, dialect, 'suppliers')
      .id()
      .uniqueText('name')
      .text('buy_price')
      .integers('created_at')
      .create();
    // A correction may add a negative figure before it meets the row that it corrects: no column is checked to be positive.
    await new TableMaker(db, dialect, 'margin_days')
      .requiredIntegers('day', 'channel_id')
      .requiredText('model_name', 'group')
      .requiredIntegers('user_id')
      .integers('count', 'quota', 'cost', 'costed_count', 'costed_quota')
      .primaryKey('day', 'channel_id', 'model_name', 'group', 'user_id')
      .create();
    await new TableMaker(db, dialect, 'channel_fees')
      .requiredIntegers('day', 'channel_id')
      .amounts('fee')
      .primaryKey('day', 'channel_id')
      .create();
  },
};
