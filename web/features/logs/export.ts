/** Fetches the export and saves it as a file. A link could not send the user-id header. */
import type { EXPORT_FORMATS } from '#contract/lists.ts';
import { ApiError } from '#web/api/errors.ts';
import { storedUser } from '#web/api/session.ts';
import { filterQuery, type LogFilter } from './queries.ts';

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function exportAddress(filter: LogFilter, admin: boolean, format: ExportFormat): string {
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filterQuery(filter, admin))) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return `/api/log/${admin ? '' : 'self/'}export?${parameters.toString()}`;
}

export async function downloadLogs(filter: LogFilter, admin: boolean, format: ExportFormat): Promise<void> {
  const response = await fetch(exportAddress(filter, admin, format), {
    headers: { 'New-Api-User': String(storedUser()?.id ?? '') },
    credentials: 'same-origin',
    cache: 'no-store',
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || type.startsWith('application/json')) {
    const envelope = (await response.json().catch(() => ({}))) as { message?: string };
    throw new ApiError(envelope.message ?? `HTTP ${response.status}`, { status: response.status });
  }
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `logs.${format}`;
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
