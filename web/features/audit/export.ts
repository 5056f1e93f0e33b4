/** Fetches the export and saves it as a file. A link could not send the user-id header. */
import type { EXPORT_FORMATS } from '#contract/lists.ts';
import { ApiError } from '#web/api/errors.ts';
import { storedUser } from '#web/api/session.ts';
import { filterOf, type AuditFilter } from './queries.ts';

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export async function downloadAudit(filter: AuditFilter, format: ExportFormat): Promise<void> {
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filterOf(filter)))
    if (value !== undefined) parameters.set(name, String(value));
  const response = await fetch(`/api/audit/export?${parameters}`, {
    headers: { 'New-Api-User': String(storedUser()?.id ?? '') },
    credentials: 'same-origin',
    cache: 'no-store',
  });
  if (!response.ok || (response.headers.get('content-type') ?? '').startsWith('application/json')) {
    const envelope = (await response.json().catch(() => ({}))) as { message?: string };
    throw new ApiError(envelope.message ?? `HTTP ${response.status}`, { status: response.status });
  }
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `audit.${format}`;
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
