// Rows of a batch as PostgreSQL reads an array of them: one parameter for each table. The shortest way for one row as for
// hundreds: an array for each column took nine times as long to read for one row, and twice as long for 64.
import type { Column } from './columns.ts';
import { storableText } from './storable-text.ts';

/** An array of the composite type that has these columns. */
export function rowArray<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  let text = '{';
  for (const row of rows) {
    text += text.length === 1 ? '"(' : ',"(';
    let comma = '';
    for (const { type, of } of columns) {
      text += comma;
      comma = ',';
      const value = of(row);
      // Nothing between two commas is null.
      if (value === null) continue;
      text += type === 'text' ? `\\"${escaped(value, IN_ROW)}\\"` : value;
    }
    text += ')"';
  }
  return storableText(`${text}}`);
}

/** An array of one column, which is a key and never null. */
export function columnArray<Row>({ type, of }: Column<Row>, rows: readonly Row[]): string {
  const values = rows.map((row) => (type === 'text' ? `"${escaped(of(row), IN_ARRAY)}"` : of(row)));
  return `{${values.join(',')}}`;
}

const IN_ARRAY = '\\$&';
/** Once for the row, and again, with its escape, for the array around it. */
const IN_ROW = '\\\\\\$&';
const NEEDS_ESCAPE = /["\\]/;
const SPECIAL = /["\\]/g;

function escaped(value: number | string | null, replacement: string): number | string | null {
  return typeof value === 'string' && NEEDS_ESCAPE.test(value) ? value.replace(SPECIAL, replacement) : value;
}
