// What upstreams' caches of prompts saved, by channel and model: summed from the log by a job (server/admin/margins/cache-cells.ts).
import { index, TableMaker, type Migration } from './migration.ts';

export const cacheCells: Migration = {
  name: '0128-cache-cells',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'cache_cells')
      .requiredIntegers('seconds', 'start', 'channel_id')
      .requiredText('model_name')
      .integers('prompt_tokens', 'cache_read', 'cached_calls')
      // Negative where writing the cache cost more than reading it saved.
      .integers('priced_calls', 'saved_quota', 'costed_calls', 'saved_cost')
      .primaryKey('seconds', 'start', 'channel_id', 'model_name')
      .create();
    await index(db, 'cache_cells', ['seconds', 'channel_id', 'start']);
    await index(db, 'cache_cells', ['seconds', 'model_name', 'start']);
    await db.insertInto('usage_positions').values({ name: 'cache', position: 0 }).execute();
  },
};
