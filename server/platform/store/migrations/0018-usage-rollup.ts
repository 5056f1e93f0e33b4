// The hourly figures once more, summed over everything but one thing: all, a user, a channel or a model. Filled in the
// background from hours that are over, so that years of a log can be summed by reading a row an hour.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const usageRollup: Migration = {
  name: '0018-usage-rollup',
  async up(db, dialect) {
    const whole = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    // Queries read one key over time: its rows, with their sums, are next to each other.
    const key =
      dialect === 'sqlite'
        ? sql`primary key (scope, key, hour)`
        : sql`primary key (scope, key, hour) include (count, error_count, quota, prompt_tokens, completion_tokens)`;
    const end = sql.raw(dialect === 'sqlite' ? 'strict, without rowid' : '');
    await sql`create table usage_rollup (
      scope ${whole} not null, key text not null, hour ${whole} not null,
      count ${whole} not null, error_count ${whole} not null, quota ${whole} not null,
      prompt_tokens ${whole} not null, completion_tokens ${whole} not null, ${key}) ${end}`.execute(db);
  },
};
