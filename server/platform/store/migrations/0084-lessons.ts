// What models of a channel's upstream were seen to refuse, with the time until which that is believed.
import type { Migration } from './migration.ts';

export const lessons: Migration = {
  name: '0084-lessons',
  async up(db) {
    await db.schema
      .alterTable('channels')
      .addColumn('lessons', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  },
};
