// Fetches images and documents given by URL, only for upstreams that cannot fetch them. The URLs are untrusted: egress
// class `user` (public addresses, bounded size and time, no credentials).
import type { CanonicalPart, CanonicalRequest, MediaPart } from '#server/models/formats/canonical.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

export type MediaFetch = (url: string) => Promise<Response>;

const MOST_PARTS = 20;
const AT_ONCE = 4;
const MOST_BYTES = 40 * 1024 * 1024;
const TAKEN_TYPES = /^(image\/(png|jpeg|gif|webp)|application\/pdf|text\/(plain|markdown|csv|html))$/;

/** Replaces URLs in the request by their content; true when something was fetched. */
export async function inlineMedia(
  request: CanonicalRequest,
  fetch: MediaFetch,
  kind: 'all' | 'files' = 'all',
): Promise<boolean> {
  const parts = request.messages
    .flatMap(({ content }) => remoteParts(content))
    .filter(({ type }) => kind === 'all' || type === 'file');
  if (parts.length === 0) return false;
  if (parts.length > MOST_PARTS) throw refusal(`more than ${MOST_PARTS} addresses`);
  const queue = [...parts];
  let bytes = 0;
  const worker = async (): Promise<void> => {
    for (let part = queue.shift(); part; part = queue.shift()) {
      const { mediaType, data } = await content(part.url, fetch);
      bytes += data.length;
      if (bytes > MOST_BYTES) throw refusal('the content is too large');
      Object.assign(part, { data: data.toString('base64'), mediaType });
      delete (part as MediaPart).url;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return true;
}

type RemotePart = MediaPart & { url: string };

function remoteParts(parts: readonly CanonicalPart[]): RemotePart[] {
  return parts.flatMap((part) => {
    if (part.type === 'tool_result') return remoteParts(part.content);
    return (part.type === 'image' || part.type === 'file') && isRemote(part) ? [part] : [];
  });
}

function isRemote(part: MediaPart): part is RemotePart {
  return part.data === undefined && part.url !== undefined && /^https?:\/\//i.test(part.url);
}

async function content(url: string, fetch: MediaFetch): Promise<{ mediaType: string; data: Buffer }> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    // The reason is not disclosed: it would reveal what the address leads to.
    throw refusal('an address could not be read');
  }
  if (response.status !== 200) throw refusal('an address could not be read');
  const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!TAKEN_TYPES.test(mediaType)) throw refusal('an address is no picture and no document');
  return { mediaType, data: Buffer.from(await response.arrayBuffer()) };
}

function refusal(detail: string): RelayError {
  return new RelayError('invalid_body', { detail }, { param: 'messages' });
}
