// Every row of a filter as a file, sent while it is read. The export itself becomes a row of the trail.
import type { AuditFilter, AUDIT_EXPORT_FORMATS, AuditView } from '#contract/audit.ts';
import type { RequestContext } from '#contract/context.ts';
import { csvLine } from '#contract/csv.ts';
import type { AuditDependencies } from './dependencies.ts';
import { auditRows } from './rows.ts';
import { auditViewOf } from './view.ts';

type Format = (typeof AUDIT_EXPORT_FORMATS)[number];

const ROWS_PER_PIECE = 1000;
const CONTENT_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};
const COLUMNS = [
  'id',
  'created_at',
  'actor_id',
  'actor_name',
  'ip',
  'action',
  'target',
  'before',
  'after',
  'request_id',
  'hash',
] as const satisfies readonly (keyof AuditView)[];

export function exportAudit({ store }: AuditDependencies) {
  return async (
    { query: { format, ...filter } }: { query: AuditFilter & { format: Format } },
    context: RequestContext,
  ): Promise<Response> => {
    await context.audit('audit.export', 'audit', undefined, { format, ...filter });
    const day = new Date().toISOString().slice(0, 10);
    return new Response(fileOf(pieces(store, filter), format), {
      headers: {
        'Content-Type': CONTENT_TYPES[format],
        'Content-Disposition': `attachment; filename="audit-${day}.${format}"`,
        'Cache-Control': 'no-store',
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      },
    });
  };
}

async function* pieces(store: AuditDependencies['store'], filter: AuditFilter) {
  let before: number | undefined;
  for (;;) {
    const rows = await auditRows(store, filter, { before, limit: ROWS_PER_PIECE });
    if (rows.length > 0) yield rows.map(auditViewOf);
    if (rows.length < ROWS_PER_PIECE) return;
    before = rows.at(-1)?.id;
  }
}

function fileOf(rows: AsyncGenerator<AuditView[], void>, format: Format): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lineOf = (row: AuditView) =>
    format === 'jsonl' ? `${JSON.stringify(row)}\n` : csvLine(COLUMNS.map((column) => row[column]));
  return new ReadableStream({
    start(controller) {
      // Spreadsheets take a file for UTF-8 only with this mark.
      if (format === 'csv') controller.enqueue(encoder.encode(`\uFEFF${csvLine(COLUMNS)}`));
    },
    async pull(controller) {
      const { value, done } = await rows.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map(lineOf).join('')));
    },
    async cancel() {
      await rows.return();
    },
  });
}
