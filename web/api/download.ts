/** Fetches a file of the API and saves it. A link could not send the user-id header. */
import { ApiError } from './errors.ts';
import { storedUser } from './session.ts';

export async function downloadFrom(address: string, name: string): Promise<void> {
  const response = await fetch(address, {
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
  link.download = name;
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
