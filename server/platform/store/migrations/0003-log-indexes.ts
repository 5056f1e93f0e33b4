// Indexes for reading the log that the path of an ordinary call does not pay for: they hold only the rows that are not
// calls, and only the calls of a group with a name.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const logIndexes: Migration = {
  name: '0003-log-indexes',
  async up(db) {
    await sql`create index logs_rare on logs (created_at, type) where type not in (2, 5)`.execute(db);
    // With everything that is filtered and summed, so that counting a group does not read its rows.
    await sql`create index logs_group on logs
      (created_at, "group", type, user_id, token_id, channel_id, model_name, quota, prompt_tokens, completion_tokens)
      where "group" <> 'default'`.execute(db);
    // A cell of the hourly figures enters these once, however many calls it counts.
    await sql`create index usage_hours_model_name_hour on usage_hours (model_name, hour)`.execute(db);
    await sql`create index usage_hours_channel_id_hour on usage_hours (channel_id, hour)`.execute(db);
  },
};
