// Every row of a filter as a file. Each piece starts behind the last row of the one before.
import type { RequestContext } from '#server/admin/context.ts';
import { EXPORT_ROWS_PER_PIECE, exportFile, type ExportFormat } from '#server/admin/export-file.ts';
import type { FactReader } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import type { AdminLogFilter } from '#contract/admin/log-filter.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { withHolders } from './attribution.ts';
import { readerOf, type LogDependencies } from './dependencies.ts';
import type { Figures } from './figures.ts';
import { pageOfRows, type Position } from './page.ts';
import type { LogReading } from './reading.ts';
import { readRefusedRows, readRefusedViews } from './refused.ts';
import { ownerOf, scopeOf } from './resolve-scope.ts';
import type { Scope } from './scope.ts';
import { logViewOf } from './view.ts';

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
  'code',
  'other',
  'cost',
  'member_name',
  'service_account_name',
  'project_name',
  'tags',
] as const;
const ADMIN_COLUMNS: ReadonlySet<string> = new Set(['upstream_model', 'channel', 'channel_name', 'cost']);
const HOLDER_COLUMNS: ReadonlySet<string> = new Set([
  'member_name',
  'service_account_name',
  'project_name',
  'tags',
]);

export function exportLogs(reading: LogReading, whose: 'all' | 'self') {
  return async (
    { query }: { query: AdminLogFilter & { format: ExportFormat } },
    context: RequestContext,
  ): Promise<Response> => {
    const { dependencies } = reading;
    const forAdmin = whose === 'all';
    const scope = await scopeOf(dependencies, query, ownerOf(context, whose));
    const figures = await reading.figures(scope);
    // Audited because it holds rows of other users.
    if (forAdmin) await context.auditEvent('log.export', 'logs', query);
    const isScoped = context.organization !== undefined;
    const columns = COLUMNS.filter(
      (column) => (forAdmin || !ADMIN_COLUMNS.has(column)) && (isScoped || !HOLDER_COLUMNS.has(column)),
    );
    return exportFile({
      name: 'logs',
      format: query.format,
      pieces:
        scope.type === LOG_TYPE.refused
          ? readRefusedPieces(dependencies, scope, context.language)
          : pieces(dependencies, {
              scope,
              figures,
              forAdmin,
              reader: readerOf(dependencies, context.language),
            }),
      columns,
      cells: (view) =>
        columns.map((column) => (column === 'time' ? isoTime(view.created_at) : (view[column] ?? ''))),
    });
  };
}

async function* pieces(
  dependencies: LogDependencies,
  {
    scope,
    figures,
    forAdmin,
    reader,
  }: { scope: Scope; figures: Figures; forAdmin: boolean; reader: FactReader },
): AsyncGenerator<LogView[], void> {
  let before: Position | undefined;
  while (true) {
    const request = { limit: EXPORT_ROWS_PER_PIECE, offset: 0, ...(before ? { before } : {}) };
    const { rows, isComplete } = await pageOfRows(dependencies, scope, figures, request);
    const last = rows.at(-1);
    if (!last) return;
    const views = rows.map((row) => logViewOf(row, reader, forAdmin));
    yield await withHolders(dependencies.store, rows, views);
    if (isComplete && rows.length < EXPORT_ROWS_PER_PIECE) return;
    before = { createdAt: last.created_at, id: last.id };
  }
}

async function* readRefusedPieces(
  dependencies: LogDependencies,
  scope: Scope,
  language: Language,
): AsyncGenerator<LogView[], void> {
  let beforeId = Number.MAX_SAFE_INTEGER;
  while (true) {
    const rows = await readRefusedRows(dependencies, scope, {
      limit: EXPORT_ROWS_PER_PIECE,
      offset: 0,
      beforeId,
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    beforeId = last.id;
    yield await readRefusedViews(dependencies, rows, language, scope.requestId);
    // The rows of one request are all there is.
    if (rows.length < EXPORT_ROWS_PER_PIECE) return;
  }
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
