// Kept files of the results of tasks.
import { index, TableMaker, type Migration } from './migration.ts';

export const media: Migration = {
  name: '0058-media',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'media')
      .id()
      .requiredIntegers('task_id')
      .requiredText('name', 'key')
      .oneOf('state', ['wanted', 'kept', 'failed', 'expired'], 'wanted')
      .text('place', 'type')
      .integers('bytes', 'tries', 'next_try_at', 'kept_at')
      .text('error')
      .create();
    await index(db, 'media', ['task_id', 'name'], true);
    await index(db, 'media', ['state', 'next_try_at']);
    await index(db, 'media', ['state', 'kept_at']);
    await index(db, 'media', ['key']);
    await index(db, 'tasks', ['status', 'finish_ms']);
  },
};
