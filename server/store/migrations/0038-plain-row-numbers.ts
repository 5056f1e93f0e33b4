// The two tables that grow with every call number their rows as SQLite does by itself: one more than the largest. Keeping
// that number in a table of its own costs a read and a write with every row, and nothing is gained: rows of the ledger are
// never deleted, and the number of a log row is only a place to go on reading from.
import { sql } from 'kysely';
import type { Migration, MigrationDatabase } from './migration.ts';

const tables = ['ledger', 'logs'] as const;

export const plainRowNumbers: Migration = {
  name: '0038-plain-row-numbers',
  async up(db, dialect) {
    if (dialect === 'postgres') return;
    for (const table of tables) await rebuild(db, table);
  },
};

/** The definition of a table cannot be changed in place: a copy takes its place, its indexes and triggers. */
async function rebuild(db: MigrationDatabase, table: string): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null order by rowid`.execute(
    db,
  );
  const copy = `${table}_copy`;
  const definition = rows.find(({ type }) => type === 'table')?.sql ?? '';
  const plain = definition.replace(`"${table}"`, `"${copy}"`).replace(' autoincrement', '');
  await sql.raw(plain).execute(db);
  await sql.raw(`insert into "${copy}" select * from "${table}" order by id`).execute(db);
  await sql.raw(`drop table "${table}"`).execute(db);
  await sql.raw(`alter table "${copy}" rename to "${table}"`).execute(db);
  for (const { type, sql: text } of rows) if (type !== 'table') await sql.raw(text).execute(db);
}
