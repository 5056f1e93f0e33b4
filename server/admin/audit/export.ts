// Every row of a filter as a file. The export itself becomes a row of the trail.
import type { AuditFilter as AskedFilter, AuditView } from '#contract/admin/audit.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { EXPORT_ROWS_PER_PIECE, exportFile, type ExportFormat } from '#server/admin/export-file.ts';
import type { AuditDependencies } from './dependencies.ts';
import { auditRows, type AuditFilter } from './rows.ts';
import { auditViewOf } from './view.ts';

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

/** Of the site, or in the scope of an organization of that one. */
export function exportAudit({ store }: Pick<AuditDependencies, 'store'>) {
  return async (
    { query: { format, ...filter } }: { query: AskedFilter & { format: ExportFormat } },
    context: RequestContext,
  ): Promise<Response> => {
    const organizationId = context.organization?.id;
    await context.auditEvent('audit.export', 'audit', { format, ...filter });
    return exportFile({
      name: 'audit',
      format,
      pieces: pieces(store, { ...filter, organizationId }),
      columns: COLUMNS,
      cells: (row) => COLUMNS.map((column) => row[column]),
    });
  };
}

async function* pieces(store: AuditDependencies['store'], filter: AuditFilter) {
  let before: number | undefined;
  for (;;) {
    const rows = await auditRows(store, filter, { before, limit: EXPORT_ROWS_PER_PIECE });
    if (rows.length > 0) yield rows.map(auditViewOf);
    if (rows.length < EXPORT_ROWS_PER_PIECE) return;
    before = rows.at(-1)?.id;
  }
}
