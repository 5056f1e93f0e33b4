// Which tables a move copies, and in which order of rows.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

/** Of processes and of the database itself: the target has its own. */
const LEFT_OUT = new Set(['migrations', 'vault_sentinel', 'nodes', 'leases', 'changes', 'sqlite_sequence']);

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that order the rows, so that a move goes on where it ended. */
  readonly key: readonly string[];
  /** Of the target, by column. */
  readonly types: ReadonlyMap<string, string>;
}

/** Throws when the two databases do not have the same columns: then they are of different versions. */
export async function readMovedTables(source: Kysely<Schema>, target: Kysely<Schema>): Promise<MovedTable[]> {
  const tables = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' order by name`.execute(
    source,
  );
  const moved = tables.rows.filter(({ name }) => !LEFT_OUT.has(name));
  return await Promise.all(moved.map(({ name }) => tableOf(source, target, name)));
}

async function tableOf(source: Kysely<Schema>, target: Kysely<Schema>, name: string): Promise<MovedTable> {
  const own = await sql<{
    name: string;
    pk: number;
  }>`select name, pk from pragma_table_info(${name})`.execute(source);
  const theirs = await sql<{ name: string; type: string }>`
    select column_name as name, data_type as type from information_schema.columns
    where table_name = ${name} and table_schema = any(current_schemas(false))`.execute(target);
  const types = new Map(theirs.rows.map((column) => [column.name, column.type]));
  const columns = own.rows.map((column) => column.name);
  const different = columns.filter((column) => !types.has(column));
  if (different.length > 0 || types.size !== columns.length)
    throw new Error(`the table ${name} does not have the same columns in both databases`);
  const key = own.rows
    .filter(({ pk }) => pk > 0)
    .toSorted((one, other) => one.pk - other.pk)
    .map((column) => column.name);
  return { name, columns, key: key.length > 0 ? key : ['rowid'], types };
}
