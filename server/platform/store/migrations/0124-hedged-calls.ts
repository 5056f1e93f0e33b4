// Hedged calls (docs/adr/0121-a-late-call-is-raced-by-another-channel.md): the switch of a virtual model, what the attempts cost that lost,
// and how much of the daily limit is used.
import { sql } from 'kysely';
import { TableMaker, type Migration } from './migration.ts';

export const hedgedCalls: Migration = {
  name: '0124-hedged-calls',
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    await sql
      .raw(
        `alter table virtual_models add column hedge ${integer} not null default 0 check (hedge in (0, 1))`,
      )
      .execute(db);
    await new TableMaker(db, dialect, 'hedge_hours')
      .requiredIntegers('hour', 'channel_id')
      .requiredText('model_name', 'group')
      .requiredIntegers('user_id')
      .integers('count', 'cost', 'costed_count')
      .primaryKey('hour', 'channel_id', 'model_name', 'group', 'user_id')
      .create();
    await new TableMaker(db, dialect, 'hedge_days')
      .requiredIntegers('day')
      .integers('spent')
      .primaryKey('day')
      .create();
  },
};
