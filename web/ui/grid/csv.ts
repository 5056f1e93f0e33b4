/** The export: RFC 4180 with a BOM for spreadsheets, and no cell that a spreadsheet would run as a formula. */
import type { GridColumn } from './types.ts';

const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

export function csvCell(value: string | number | undefined): string {
  const text = value === undefined ? '' : String(value);
  // A leading apostrophe keeps the text a text; real numbers may start with a minus.
  const safe = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCsv<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  const exported = columns.flatMap(({ header, csv }) => (csv ? [{ header, csv }] : []));
  const lines = [
    exported.map((column) => csvCell(column.header)),
    ...rows.map((row) => exported.map((column) => csvCell(column.csv(row)))),
  ];
  return `${lines.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}

export function downloadCsv(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', csv], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
