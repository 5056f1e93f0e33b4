// Answers with a file: the kept copy when there is one, else the upstream's, piece by piece as the caller reads.
import { answerHeaders } from '#server/relay/caller/response.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { streamResponse, type StreamSink } from '#server/relay/caller/response.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { sourceOf, type MediaFile } from './file.ts';
import type { KeepParts } from './keep.ts';
import { MediaError, openSource } from './open-source.ts';
import { askedRange, bytesOf, isSameFile, rangeText } from './range.ts';
import type { Kept } from './rows.ts';
import type { Pieces } from './storage.ts';

const MEGABYTE = 1024 ** 2;

export async function answerWith(parts: KeepParts, incoming: Incoming, file: MediaFile): Promise<Response> {
  return (await answerKept(parts, incoming, file)) ?? (await fromSource(parts, incoming, file));
}

export async function answerKept(
  parts: KeepParts,
  incoming: Incoming,
  file: MediaFile,
): Promise<Response | undefined> {
  const kept = file.isFinal ? await parts.rows.kept(file.task.id, file.name) : undefined;
  return kept === undefined ? undefined : await fromCopy(parts, incoming, file, kept);
}

/** Undefined when the copy cannot be read; the upstream may still have the file. */
async function fromCopy(
  parts: KeepParts,
  incoming: Incoming,
  file: MediaFile,
  kept: Kept,
): Promise<Response | undefined> {
  const { id, type, bytes: size } = kept;
  const { headers: asked } = incoming.request;
  const tag = `"${id}-${size}"`;
  const range = isSameFile(asked.get('if-range'), tag) ? askedRange(asked.get('range')) : undefined;
  const part = range === undefined ? { start: 0, end: size } : bytesOf(range, size);
  const headers = fileHeaders(incoming, file, type);
  headers.set('ETag', tag);
  if (part === undefined) return unsatisfiable(headers, `bytes */${size}`);
  const pieces = await openCopy(parts, file, kept, part).catch((error: unknown) => {
    parts.log.warn('a kept result could not be read', { task: file.task.id, error });
    return undefined;
  });
  if (pieces === undefined) return undefined;
  headers.set('Content-Length', String(part.end - part.start));
  if (range !== undefined) headers.set('Content-Range', `bytes ${part.start}-${part.end - 1}/${size}`);
  return stream(incoming, pieces, headers, range === undefined ? 200 : 206);
}

interface Part {
  start: number;
  end: number;
}

async function openCopy(
  { disk, s3, egress }: KeepParts,
  { kind }: MediaFile,
  { place, key, bytes }: Kept,
  { start, end }: Part,
): Promise<Pieces | undefined> {
  if (place === 'disk') return await disk.open(key, start, end);
  const headers = { Range: `bytes=${start}-${end - 1}` };
  const wish = { egress, from: 'system', kind, mostBytes: bytes, headers } as const;
  const { call, answer, length } = await openSource({ url: s3.address(key), home: '' }, wish);
  const pieces = bounded(
    () => answer.read(),
    () => call.abort(),
    { most: end - start, isExact: true },
  );
  if (answer.status === 206 && length === end - start) return pieces;
  pieces.close();
  throw new MediaError('the storage sent another part than was asked for');
}

/** The upstream decides about the range; the size of what passes is checked here. */
async function fromSource(
  { egress, settings, log }: KeepParts,
  incoming: Incoming,
  file: MediaFile,
): Promise<Response> {
  const { kind } = file;
  const mostBytes = settings.current.MediaMaxMegabytes * MEGABYTE;
  const wish = { egress, from: 'channel', kind, mostBytes, headers: rangeHeaders(incoming.request) } as const;
  const open = async () => await openSource(await sourceOf(file), wish);
  const opened = await open().catch((error: unknown) => {
    if (!(error instanceof MediaError)) throw error;
    log.warn('a result could not be read', { task: file.task.id, name: file.name, reason: error.message });
    throw new RelayError('upstream_failed');
  });
  const { call, answer, type, length } = opened;
  const headers = fileHeaders(incoming, file, type);
  const contentRange = answer.header('content-range');
  if (answer.status === 416) {
    call.abort();
    const isSize = /^bytes \*\/\d{1,15}$/.test(contentRange ?? '');
    return unsatisfiable(headers, isSize ? contentRange : undefined);
  }
  const tag = answer.header('etag') ?? '';
  if (/^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(tag)) headers.set('ETag', tag);
  if (length !== undefined) headers.set('Content-Length', String(length));
  if (answer.status === 206 && contentRange !== undefined) headers.set('Content-Range', contentRange);
  const pieces = bounded(
    () => answer.read(),
    () => call.abort(),
    { most: length ?? mostBytes, isExact: length !== undefined },
  );
  return stream(incoming, pieces, headers, answer.status);
}

function rangeHeaders({ headers }: Request): Record<string, string> {
  const range = askedRange(headers.get('range'));
  if (range === undefined) return {};
  const ifRange = headers.get('if-range');
  const isPlain = ifRange !== null && /^[\x20-\x7e]{1,200}$/.test(ifRange);
  return { Range: rangeText(range), ...(isPlain ? { 'If-Range': ifRange } : {}) };
}

function fileHeaders({ request, requestId }: Incoming, { isFinal }: MediaFile, type: string): Headers {
  const headers = answerHeaders(request, requestId, type);
  headers.set('Cache-Control', isFinal ? 'private, max-age=86400, immutable' : 'no-store');
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  headers.set('Accept-Ranges', 'bytes');
  return headers;
}

function unsatisfiable(headers: Headers, contentRange: string | undefined): Response {
  headers.delete('Content-Type');
  headers.set('Cache-Control', 'no-store');
  if (contentRange !== undefined) headers.set('Content-Range', contentRange);
  return new Response(null, { status: 416, headers });
}

interface Length {
  most: number;
  /** The length was said: less is a file that broke off. */
  isExact: boolean;
}

/** An upstream that sends another length than it said is cut: the caller must not take a part for the whole. */
function bounded(read: Pieces['read'], close: () => void, { most, isExact }: Length): Pieces {
  let left = most;
  return {
    async read() {
      const piece = await read();
      left -= piece?.length ?? 0;
      if (left < 0 || (piece === undefined && isExact && left > 0))
        throw new MediaError('the file has another length than was said', true);
      return piece;
    },
    close,
  };
}

function stream(incoming: Incoming, pieces: Pieces, headers: Headers, status: number): Response {
  let hasLeft = false;
  async function send(sink: StreamSink): Promise<void> {
    try {
      for (;;) {
        const piece = hasLeft ? undefined : await pieces.read();
        if (piece === undefined || hasLeft) break;
        sink.write(piece);
        await sink.flush();
      }
      if (!hasLeft) sink.close();
    } catch {
      // The head has gone out: a cut connection is the only way to say that the rest is missing.
      if (!hasLeft) sink.cut();
    } finally {
      pieces.close();
    }
  }
  const body = {
    attach: (sink: StreamSink) => void send(sink),
    left: () => {
      hasLeft = true;
      pieces.close();
    },
  };
  return streamResponse(body, headers, incoming.connection, status);
}
