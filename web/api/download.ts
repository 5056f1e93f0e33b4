/** Fetches a file of the API and saves it. A link could not send the headers that say for whom it is. */
import { ApiError } from './errors.ts';
import { callerHeaders } from './transport.ts';

/** `isScoped`: the file of an organization where the console acts for one. */
export async function downloadFrom(address: string, name: string, { isScoped = false } = {}): Promise<void> {
  const response = await fetch(address, {
    headers: callerHeaders(isScoped),
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
