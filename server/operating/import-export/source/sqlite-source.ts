// A SQLite file as a source. It is opened for reading only, so that the other gateway may go on running.
import { Database } from 'bun:sqlite';
import { SourceError, type Source, type SourceRow } from './source.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export function openSqliteSource(file: string, label = file): Source {
  let db: Database;
  try {
    db = new Database(file, { readonly: true, safeIntegers: true });
    db.query('select count(*) from sqlite_schema').get();
  } catch (error) {
    throw new SourceError(`${file} is not a SQLite database: ${String(error)}`, { cause: error });
  }
  const columns = async (table: string): Promise<ReadonlySet<string>> => {
    const rows = db.query('select name from pragma_table_info(?)').all(table) as { name: string }[];
    return new Set(rows.map(({ name }) => name));
  };
  return {
    label,
    columns,
    async count(table) {
      if ((await columns(table)).size === 0) return 0;
      const row = db.query(`select count(*) as rows from ${quoted(table)}`).get() as { rows: bigint };
      return Number(row.rows);
    },
    page: async (table, after, limit) =>
      db
        .query(`select * from ${quoted(table)} where id > ? order by id limit ?`)
        .all(after, limit) as SourceRow[],
    all: async (table) => db.query(`select * from ${quoted(table)}`).all() as SourceRow[],
    close: async () => db.close(),
  };
}
