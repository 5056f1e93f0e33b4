/** Downloads the rows of a filter. */
import type { EXPORT_FORMATS } from '#contract/lists.ts';
import { downloadFrom } from '#web/api/download.ts';
import { filterOf, type AuditFilter, type AuditScope } from './queries.ts';

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const PATHS = { site: '/api/audit/export', organization: '/api/organization/audit/export' } as const;

export async function downloadAudit(
  scope: AuditScope,
  filter: AuditFilter,
  format: ExportFormat,
): Promise<void> {
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filterOf(filter)))
    if (value !== undefined) parameters.set(name, String(value));
  await downloadFrom(`${PATHS[scope]}?${parameters}`, `audit.${format}`, {
    isScoped: scope === 'organization',
  });
}
