// Copies one table from SQLite to PostgreSQL in batches, in the order of its key. A batch and the note of how far it reached are one
// transaction, so a move that was cut off goes on without a missing or doubled row.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { noteProgress, type LastKey } from './progress.ts';
import type { MovedTable } from './tables.ts';

const ROWS_PER_BATCH = 5000;

type Cell = string | number | Uint8Array | null;
type Row = Record<string, Cell>;

export async function copyTable(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  table: MovedTable,
  from: LastKey | undefined,
): Promise<void> {
  let last: LastKey | undefined = from;
  while (last !== null) {
    const isFirst = last === undefined;
    const rows = await batchAfter(source, table, last);
    const key = keyOf(table, rows.at(-1));
    last = rows.length < ROWS_PER_BATCH ? null : key;
    await target.transaction().execute(async (transaction) => {
      // A migration writes the first row of some tables.
      if (isFirst) await sql`delete from ${sql.table(table.name)}`.execute(transaction);
      if (rows.length > 0) await insert(transaction, table, rows);
      await noteProgress(transaction, table.name, last ?? null);
    });
  }
}

async function batchAfter(
  source: Kysely<Schema>,
  { name, columns, key }: MovedTable,
  last: LastKey | undefined,
): Promise<Row[]> {
  const order = sql.join(key.map((column) => sql.ref(column)));
  const after: RawBuilder<unknown> =
    last === undefined || last === null
      ? sql``
      : sql`where (${order}) > (${sql.join(last.map((value) => sql.val(value)))})`;
  const chosen = sql.join([...new Set([...columns, ...key])].map((column) => sql.ref(column)));
  const { rows } = await sql<Row>`
    select ${chosen} from ${sql.table(name)} ${after} order by ${order} limit ${sql.lit(ROWS_PER_BATCH)}`.execute(
    source,
  );
  return rows;
}

const keyOf = ({ key }: MovedTable, row: Row | undefined): LastKey =>
  row === undefined ? null : key.map((column) => row[column] as string | number);

/** The database reads the types of the columns from its own table, so every value goes as JSON. */
async function insert(
  target: Kysely<Schema>,
  { name, columns }: MovedTable,
  rows: readonly Row[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = rows.map((row) => columns.map((column) => asJson(row[column] ?? null)));
  const records = JSON.stringify(
    values.map((list) => Object.fromEntries(list.map((value, at) => [columns[at], value]))),
  );
  await sql`insert into ${sql.table(name)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(name)}, ${records}::json)`.execute(target);
}

/** Without NUL, which PostgreSQL cannot store in a text. */
const asJson = (value: Cell): string | number | null => {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
};

/** Days that the source's log has, so that old days can be dropped as whole partitions. */
export async function makePartitionsOf(source: Kysely<Schema>, target: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ day: number }>`
    select distinct created_at / ${sql.lit(DAY_SECONDS)} as day from logs order by day`.execute(source);
  for (const { day } of rows) await makeLogPartitions(target, day * DAY_SECONDS);
}

/** Numbers that the database draws go on after the copied ones. */
export async function setSequences(target: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where is_identity = 'YES' and table_schema = any(current_schemas(false))`.execute(target);
  for (const { table_name: table, column_name: column } of rows) {
    if (table.startsWith('logs_')) continue;
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
      (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(target);
  }
}
