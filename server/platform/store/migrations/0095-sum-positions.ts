// Every sum has its position in one table: dividends on spending and the hourly sums of the log come to the others.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const sumPositions: Migration = {
  name: '0095-sum-positions',
  async up(db, dialect) {
    // A node of the older version that counts spending at this moment ends first; afterwards its job fails until it is replaced.
    if (dialect === 'postgres') await sql`lock table dividend_position in access exclusive mode`.execute(db);
    await sql`insert into usage_positions (name, position)
      select 'dividends', through_id from dividend_position`.execute(db);
    await sql`insert into usage_positions (name, position)
      select 'rollup', coalesce(max(hour) + 3600, 0) from usage_rollup where scope = 0 and key = ''`.execute(
      db,
    );
    await db.schema.dropTable('dividend_position').execute();
  },
};
