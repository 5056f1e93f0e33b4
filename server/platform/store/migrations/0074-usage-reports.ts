// Admin keys for usage and cost reports, and the sums from which the reports are read: calls by hour and day with every
// class of tokens, and charges by day.
import { index, TableMaker, type Migration } from './migration.ts';

export const usageReports: Migration = {
  name: '0074-usage-reports',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'admin_keys')
      .id()
      .requiredIntegers('user_id')
      .text('name')
      .oneOf('scope', ['user', 'site'], 'user')
      .uniqueText('key_digest')
      .text('key_hint')
      .integers('created_at', 'last_used_at')
      .create();
    await index(db, 'admin_keys', ['user_id']);

    await new TableMaker(db, dialect, 'usage_cells')
      .requiredIntegers('seconds', 'start', 'user_id', 'token_id')
      .requiredText('model_name', 'kind', 'tier')
      .requiredIntegers('long_context')
      .integers(
        'calls',
        'input',
        'cache_read',
        'cache_write_5m',
        'cache_write_1h',
        'image_input',
        'audio_input',
      )
      .integers('output', 'audio_output', 'pieces', 'web_searches')
      .primaryKey('seconds', 'start', 'user_id', 'token_id', 'model_name', 'kind', 'tier', 'long_context')
      .create();
    await index(db, 'usage_cells', ['user_id', 'seconds', 'start']);

    await new TableMaker(db, dialect, 'cost_days')
      .requiredIntegers('day', 'user_id', 'token_id')
      .requiredText('model_name')
      .integers('quota')
      .primaryKey('day', 'user_id', 'token_id', 'model_name')
      .create();
    await index(db, 'cost_days', ['user_id', 'day']);

    await new TableMaker(db, dialect, 'usage_positions')
      .requiredText('name')
      .integers('position')
      .primaryKey('name')
      .create();
    for (const name of ['cells', 'costs'])
      await db.insertInto('usage_positions').values({ name, position: 0 }).execute();
  },
};
