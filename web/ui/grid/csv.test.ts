import { describe, expect, test } from 'bun:test';
import { toCsv } from './csv.ts';

describe('the export', () => {
  test('only columns with a value for the export are written', () => {
    const csv = toCsv(
      [
        { id: 'name', header: 'Name', cell: () => null, csv: (row: { name: string }) => row.name },
        { id: 'actions', header: 'Actions', cell: () => null },
      ],
      [{ name: '你好' }, { name: '=x' }],
    );
    expect(csv).toBe(`Name\r\n你好\r\n"'=x"\r\n`);
  });
});
