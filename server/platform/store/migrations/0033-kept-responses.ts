// A kept conversation is also a response that can be read again, so the response itself is kept beside its input.
import type { Migration } from './migration.ts';

export const keptResponses: Migration = {
  name: '0033-kept-responses',
  async up(db) {
    await db.schema
      .alterTable('stored_responses')
      .addColumn('response', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  },
};
