// Cached answers (docs/adr/0123-equal-requests-may-get-a-cached-answer.md): which keys and organizations want them, and what they saved. The answers
// themselves are in the memory of the nodes.
import { TableMaker, type Migration } from './migration.ts';

export const answerCache: Migration = {
  name: '0125-answer-cache',
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    await db.schema
      .alterTable('tokens')
      .addColumn('answer_cache', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('tokens')
      .addColumn('answer_cache_seconds', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('organizations')
      .addColumn('answer_cache', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await new TableMaker(db, dialect, 'answer_cache_hours')
      .requiredIntegers('hour', 'user_id')
      .integers('hits', 'misses', 'saved')
      .primaryKey('hour', 'user_id')
      .create();
  },
};
