// Formats that a channel's upstream was seen to refuse: calls in them are converted.
import type { Migration } from './migration.ts';

export const refusedFormats: Migration = {
  name: '0051-refused-formats',
  async up(db) {
    await db.schema
      .alterTable('channels')
      .addColumn('refused_formats', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  },
};
