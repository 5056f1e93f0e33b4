// Many rows as one parameter of one statement, on both databases.
import { sql, type RawBuilder } from 'kysely';
import type { AuditSource } from '#server/money/audit/breach.ts';

type Columns = Record<string, 'integer' | 'text'>;

/** A table `v` with these columns, for `from`. */
export function jsonRows(
  { dialect }: Pick<AuditSource, 'dialect'>,
  columns: Columns,
  rows: readonly Record<string, string | number>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns);
  if (dialect === 'postgres') {
    const types = names.map(
      (name) => sql`${sql.ref(name)} ${sql.raw(columns[name] === 'text' ? 'text' : 'bigint')}`,
    );
    return sql`json_to_recordset(${JSON.stringify(rows)}::json) as v(${sql.join(types)})`;
  }
  const values = names.map((name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.ref(name)}`);
  return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as v`;
}
