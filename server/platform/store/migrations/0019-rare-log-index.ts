// The index of rows that are no calls, with everything a log is filtered by: counting them never reads the rows.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const rareLogIndex: Migration = {
  name: '0019-rare-log-index',
  async up(db) {
    await sql`drop index logs_rare`.execute(db);
    await sql`create index logs_rare on logs (created_at, type, user_id, token_id, channel_id, model_name, "group")
      where type not in (2, 5)`.execute(db);
  },
};
