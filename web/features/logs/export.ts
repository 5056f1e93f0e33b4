/** The address of an export, and its download. */
import type { EXPORT_FORMATS } from '#contract/lists.ts';
import { downloadFrom } from '#web/api/download.ts';
import { filterQuery, type LogFilter } from './queries.ts';

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function exportAddress(filter: LogFilter, admin: boolean, format: ExportFormat): string {
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filterQuery(filter, admin))) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return `/api/log/${admin ? '' : 'self/'}export?${parameters.toString()}`;
}

export const downloadLogs = (filter: LogFilter, admin: boolean, format: ExportFormat) =>
  downloadFrom(exportAddress(filter, admin, format), `logs.${format}`, { isScoped: !admin });
