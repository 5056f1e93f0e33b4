import { describe, expect, test } from 'bun:test';
import { csvCell, toCsv } from './csv.ts';

describe('the export', () => {
  test('a cell that a spreadsheet would run is kept a text', () => {
    for (const attack of ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1']) {
      expect(csvCell(attack)).toStartWith(`"'`);
    }
  });

  test('negative numbers stay numbers', () => {
    expect(csvCell(-12.5)).toBe('-12.5');
    expect(csvCell('-3')).toBe('-3');
  });

  test('quotes, commas and line breaks are quoted', () => {
    expect(csvCell('a "b", c\nd')).toBe('"a ""b"", c\nd"');
  });

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
