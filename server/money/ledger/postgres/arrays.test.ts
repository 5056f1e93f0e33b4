import { expect, test } from 'bun:test';
import { columnArray, rowArray } from './arrays.ts';
import { text, whole } from './columns.ts';

interface Row {
  id: number;
  cost: number | null;
  name: string;
}
const id = whole<Row>('id', (row) => row.id);
const name = text<Row>('name', (row) => row.name);
const columns = [id, whole<Row>('cost', (row) => row.cost), name];
const row = (name: string, id = 1, cost: number | null = 2): Row => ({ id, cost, name });

test('an array of one column: numbers are joined, texts are quoted, and what would end a text is escaped', () => {
  expect(columnArray(id, [])).toBe('{}');
  expect(columnArray(id, [row('', 1), row('', -2), row('', 9007199254740991)])).toBe(
    '{1,-2,9007199254740991}',
  );
  expect(
    columnArray(
      name,
      ['', 'a', 'null', '中,文}'].map((text) => row(text)),
    ),
  ).toBe('{"","a","null","中,文}"}');
  expect(columnArray(name, [row('{"a":"b\\n"}'), row('line\nend')])).toBe(
    '{"{\\"a\\":\\"b\\\\n\\"}","line\nend"}',
  );
});

test('an array of rows: null is nothing, an empty text is not null, texts are escaped for row and array', () => {
  expect(rowArray(columns, [])).toBe('{}');
  expect(rowArray(columns, [row('a'), row('', -3, null)])).toBe('{"(1,2,\\"a\\")","(-3,,\\"\\")"}');
  expect(rowArray(columns, [row('a\0'), row('\uD800b')])).toBe(
    '{"(1,2,\\"a\uFFFD\\")","(1,2,\\"\uFFFDb\\")"}',
  );
  expect(rowArray(columns, [row('say "x"')])).toBe('{"(1,2,\\"say \\\\\\"x\\\\\\"\\")"}');
});
