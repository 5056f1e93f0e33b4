// Takes the body of a call off the wire: bounded in size and time while it arrives, and in size after decompression.
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { CallerConnection, CallerSeconds } from './connection.ts';
import { parseObject, ScanError } from './json-scan.ts';

/** The public port enforces the same limit while it reads. */
export const bodyLimitBytes = 64 * 1024 * 1024;

export interface JsonBody {
  text: string;
  value: Readonly<Record<string, unknown>>;
}

/** A request whose body has not been read. */
export interface Unread {
  readonly request: Request;
  readonly connection: CallerConnection;
  readonly seconds: CallerSeconds;
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

export async function readJson(incoming: Unread): Promise<JsonBody> {
  return parseJson(await readText(incoming));
}

async function readText(incoming: Unread): Promise<string> {
  const { request, connection } = incoming;
  const { headers } = request;
  const length = headers.get('content-length');
  if (length === null || Number(length) > megabyte || headers.get('content-encoding') !== null)
    return new TextDecoder().decode(await readBytes(incoming));
  const text = await request.text();
  // From now on the upstream sets the pace.
  connection.timeout(0);
  return text;
}

export async function readBytes(incoming: Unread): Promise<Uint8Array> {
  const { request, connection } = incoming;
  const { headers } = request;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const decompress = decompressors[encoding];
  if (decompress === undefined && encoding !== 'identity' && encoding !== '')
    throw new RelayError('unsupported_encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) > bodyLimitBytes) throw new RelayError('body_too_large');
  const bytes =
    length === null
      ? await readUnsized(incoming)
      : Number(length) > megabyte
        ? await readPaced(incoming, Number(length))
        : await request.bytes();
  connection.timeout(0);
  if (decompress === undefined) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: bodyLimitBytes });
  } catch (error) {
    const tooLarge =
      error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new RelayError('body_too_large') : new RelayError('invalid_body', { detail: encoding });
  }
}

const megabyte = 1024 * 1024;

/** Each megabyte has its time, so a body that stalls is dropped soon and a large one at a modest pace is read. */
async function readPaced({ request, connection, seconds }: Unread, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let received = 0;
  let next = megabyte;
  connection.timeout(seconds.megabyte);
  if (request.body === null) throw new RelayError('invalid_body', { detail: 'no body' });
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes.set(part, received);
    received += part.length;
    if (received < next) continue;
    next = received + megabyte;
    connection.timeout(seconds.megabyte);
  }
  return bytes;
}

/**
 * The platform reads chunks: a loop over tiny ones here would cost microseconds for each byte. It gives up at the limit by
 * closing the connection, so the caller may not see the refusal.
 */
async function readUnsized({ request, connection, seconds }: Unread): Promise<Uint8Array> {
  connection.timeout(seconds.unsized);
  const bytes = await request.bytes().catch(() => {
    throw new RelayError('body_too_large');
  });
  // The platform answers 400 to a trailer and closes, once this turn of the event loop is over. Nothing may have been sent
  // upstream for such a call.
  await nextTurn();
  if (request.signal.aborted) throw new RelayError('invalid_body', { detail: 'trailer' });
  return bytes;
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function parseJson(text: string): JsonBody {
  try {
    return { text, value: parseObject(text) };
  } catch (error) {
    if (error instanceof ScanError && error.problem !== 'not_an_object') {
      throw new RelayError('invalid_body', { detail: error.problem.replaceAll('_', ' ') });
    }
    throw new RelayError('invalid_json');
  }
}
