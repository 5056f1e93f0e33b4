// Rows of a list as a CSV or JSON-lines file, streamed while they are read: a long export needs no memory and no open
// snapshot, and it stops when the reader cancels.
import { csvLine } from '#contract/csv.ts';
import type { EXPORT_FORMATS } from '#contract/lists.ts';

export type ExportFormat = (typeof EXPORT_FORMATS)[number];
type Cell = string | number | boolean;

export const EXPORT_ROWS_PER_PIECE = 1000;

const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};
/** Spreadsheets read a file as UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

export interface ExportFile<Row> {
  /** Without the date and the extension. */
  name: string;
  format: ExportFormat;
  pieces: AsyncGenerator<readonly Row[], void>;
  /** CSV only; JSON lines hold whole rows. */
  columns: readonly string[];
  cells: (row: Row) => readonly Cell[];
}

export function exportFile<Row>({ name, format, pieces, columns, cells }: ExportFile<Row>): Response {
  const encoder = new TextEncoder();
  const lineOf = (row: Row) => (format === 'jsonl' ? `${JSON.stringify(row)}\n` : csvLine(cells(row)));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === 'csv') controller.enqueue(encoder.encode(BYTE_ORDER_MARK + csvLine(columns)));
    },
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(lineOf).join('')));
    },
    async cancel() {
      await pieces.return();
    },
  });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      'Content-Type': CONTENT_TYPES[format],
      'Content-Disposition': `attachment; filename="${name}-${day}.${format}"`,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    },
  });
}
