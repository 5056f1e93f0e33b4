// Every row of a filter as a file, sent while it is read: a thousand rows at a time, each piece behind the last row of the
// one before, so a long export holds neither memory nor a snapshot, and one nobody reads any more stops.
import { callerOf, type RequestContext } from '#contract/context.ts';
import { LOG_EXPORT_FORMATS, type AdminLogFilter, type LogView } from '#contract/logs.ts';
import type { LogDependencies } from './dependencies.ts';
import type { Figures } from './figures.ts';
import { pageOfRows, type Position } from './page.ts';
import type { LogReading } from './reading.ts';
import { scopeOf, type Scope } from './scope.ts';
import { csvLine } from '#contract/csv.ts';
import { logViewOf } from './view.ts';

type Format = (typeof LOG_EXPORT_FORMATS)[number];

const ROWS_PER_PIECE = 1000;
const CONTENT_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

const COLUMNS = [
  'id',
  'created_at',
  'time',
  'type',
  'username',
  'user_id',
  'token_name',
  'model_name',
  'upstream_model',
  'channel',
  'channel_name',
  'group',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'use_time',
  'is_stream',
  'estimated',
  'ip',
  'request_id',
  'content',
  'other',
] as const;
const ADMIN_COLUMNS: ReadonlySet<string> = new Set(['upstream_model', 'channel', 'channel_name']);

export function exportLogs(reading: LogReading, whose: 'all' | 'self') {
  return async (
    { query }: { query: AdminLogFilter & { format: Format } },
    context: RequestContext,
  ): Promise<Response> => {
    const { dependencies } = reading;
    const caller = callerOf(context);
    const scope = await scopeOf(dependencies, query, whose === 'self' ? caller.id : undefined);
    const figures = await reading.figures(scope);
    // Other people's rows leave the system here.
    if (whose === 'all') await context.audit('log.export', 'logs', undefined, query);
    const body = fileOf(pieces(dependencies, scope, figures), query.format, whose === 'all');
    const day = new Date().toISOString().slice(0, 10);
    return new Response(body, {
      headers: {
        'Content-Type': CONTENT_TYPES[query.format],
        'Content-Disposition': `attachment; filename="logs-${day}.${query.format}"`,
        'Cache-Control': 'no-store',
        'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      },
    });
  };
}

async function* pieces(dependencies: LogDependencies, scope: Scope, figures: Figures) {
  let before: Position | undefined;
  while (true) {
    const request = { limit: ROWS_PER_PIECE, offset: 0, ...(before ? { before } : {}) };
    const { rows, isComplete } = await pageOfRows(dependencies, scope, figures, request);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (isComplete && rows.length < ROWS_PER_PIECE) return;
    before = { createdAt: last.created_at, id: last.id };
  }
}

function fileOf(
  rows: ReturnType<typeof pieces>,
  format: Format,
  forAdmin: boolean,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = COLUMNS.filter((column) => forAdmin || !ADMIN_COLUMNS.has(column));
  const lineOf = (view: LogView) =>
    format === 'jsonl'
      ? `${JSON.stringify(view)}\n`
      : csvLine(columns.map((column) => (column === 'time' ? isoTime(view.created_at) : view[column])));
  return new ReadableStream({
    start(controller) {
      // Spreadsheets take a file for UTF-8 only with this mark.
      if (format === 'csv') controller.enqueue(encoder.encode(`\uFEFF${csvLine(columns)}`));
    },
    async pull(controller) {
      const { value, done } = await rows.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map((row) => lineOf(logViewOf(row, forAdmin))).join('')));
    },
    async cancel() {
      await rows.return();
    },
  });
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
