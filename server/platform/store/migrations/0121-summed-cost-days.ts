// Which days of `cost_days` hold all charges. All of them are summed again: a settlement that came late, or a correction beside a run, may
// have left one behind, and until then they are read from the hours.
import { sql } from 'kysely';
import { TableMaker, type Migration } from './migration.ts';

export const summedCostDays: Migration = {
  name: '0121-summed-cost-days',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'cost_days_summed')
      .requiredIntegers('day')
      .integers('claims', 'changes', 'is_summed')
      .primaryKey('day')
      .create();
    await sql`update usage_positions set position = 0 where name = 'costs'`.execute(db);
  },
};
