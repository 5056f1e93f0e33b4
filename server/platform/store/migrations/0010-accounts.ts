// A session knows when its owner last proved who they are; wrong two-factor codes are counted where every node sees them;
// a mail can be sealed and can come too late.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const NEW_COLUMNS = {
  sessions: ['verified_at'],
  totp_secrets: ['failures', 'blocked_until'],
  mails: ['sealed', 'expires_at', 'sent_at'],
} as const;

export const accounts: Migration = {
  name: '0010-accounts',
  async up(db, dialect) {
    const type = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    for (const [table, columns] of Object.entries(NEW_COLUMNS)) {
      for (const column of columns) {
        await db.schema
          .alterTable(table)
          .addColumn(column, type, (definition) => definition.notNull().defaultTo(0))
          .execute();
      }
    }
  },
};
