/** The export of a grid as CSV, with a byte order mark so that spreadsheets read it as UTF-8. */
import { csvLine } from '#contract/csv.ts';
import type { GridColumn } from './types.ts';

export function toCsv<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[]): string {
  const exported = columns.flatMap(({ header, csv }) => (csv ? [{ header, csv }] : []));
  const head = csvLine(exported.map((column) => column.header));
  return head + rows.map((row) => csvLine(exported.map((column) => column.csv(row) ?? ''))).join('');
}

export function downloadCsv(name: string, csv: string): void {
  downloadFile(`${name}.csv`, csv, 'text/csv');
}

export function downloadFile(name: string, text: string, type: 'text/csv' | 'text/plain'): void {
  const mark = type === 'text/csv' ? '\uFEFF' : '';
  const url = URL.createObjectURL(new Blob([mark, text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
