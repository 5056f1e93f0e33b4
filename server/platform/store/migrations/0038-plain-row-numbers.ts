// The two tables that grow with every call number their rows as SQLite does by itself: one more than the largest. Keeping
// that number in a table of its own costs a read and a write with every row, and nothing is gained: rows of the ledger are
// never deleted, and the number of a log row is only a place to go on reading from.
import { rebuildTable, type Migration } from './migration.ts';

const tables = ['ledger', 'logs'] as const;

export const plainRowNumbers: Migration = {
  name: '0038-plain-row-numbers',
  async up(db, dialect) {
    if (dialect === 'postgres') return;
    for (const table of tables) {
      await rebuildTable(db, table, (definition) => definition.replace(' autoincrement', ''));
    }
  },
};
