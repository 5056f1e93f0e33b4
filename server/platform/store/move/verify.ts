// Proves that a table arrived: as many rows, and in every column of numbers the same sum.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { MovedTable } from './tables.ts';

/** One line for each difference; `rows` is the count of the source. */
export async function differencesOf(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  table: MovedTable,
): Promise<{ rows: number; differences: string[] }> {
  const sums = ['count(*) as rows'];
  for (const [column, type] of table.types)
    if (/^(bigint|integer|smallint)$/.test(type)) sums.push(`cast(sum("${column}") as text) as "${column}"`);
  const read = async (db: Kysely<Schema>) => {
    const { rows } = await sql<Record<string, string | number | null>>`
      select ${sql.raw(sums.join(', '))} from ${sql.table(table.name)}`.execute(db);
    return rows[0] ?? {};
  };
  const [here, there] = await Promise.all([read(source), read(target)]);
  const differences = Object.keys(here)
    .filter((name) => String(here[name] ?? '0') !== String(there[name] ?? '0'))
    .map((name) => `${table.name}.${name}: ${String(here[name])} here, ${String(there[name])} there`);
  return { rows: Number(here['rows']), differences };
}
