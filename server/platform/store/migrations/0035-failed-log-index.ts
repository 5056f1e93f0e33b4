// The index of failed calls with what they said: why calls failed is counted and filtered without reading the other rows.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const failedLogIndex: Migration = {
  name: '0035-failed-log-index',
  async up(db) {
    await sql`create index logs_failed
      on logs (created_at, content, user_id, token_id, channel_id, model_name, "group")
      where type = 5`.execute(db);
  },
};
