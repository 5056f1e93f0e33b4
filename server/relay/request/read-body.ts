// Takes the body of a call off the wire: bounded while it arrives and after decompression, never by trusting a header.
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import { RequestFormatError, type PlainRequest } from '#server/edge/index.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { parseObject, ScanError } from './json-scan.ts';

export const bodyLimitBytes = 64 * 1024 * 1024;

export interface JsonBody {
  text: string;
  value: Readonly<Record<string, unknown>>;
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** At once when the body has arrived. */
export function readJson(request: PlainRequest): JsonBody | Promise<JsonBody> {
  const text = readText(request);
  return typeof text === 'string' ? parseJson(text) : text.then(parseJson);
}

function readText(request: PlainRequest): Promise<string> | string {
  const { headers } = request;
  if (headers.get('content-encoding') === null) {
    const length = headers.get('content-length');
    // With a length the server itself reads no further than that.
    if (length !== null) {
      if (Number(length) > bodyLimitBytes) throw new RelayError('body_too_large');
      return request.text();
    }
  }
  return readBytes(request).then((bytes) => new TextDecoder().decode(bytes));
}

export async function readBytes(request: PlainRequest): Promise<Uint8Array> {
  const { headers } = request;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const decompress = decompressors[encoding];
  if (decompress === undefined && encoding !== 'identity' && encoding !== '') {
    throw new RelayError('unsupported_encoding');
  }
  const length = headers.get('content-length');
  if (length !== null && Number(length) > bodyLimitBytes) throw new RelayError('body_too_large');
  const bytes =
    length === null && request instanceof Request ? await readUnbounded(request) : await wholeBody(request);
  if (decompress === undefined) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: bodyLimitBytes });
  } catch (error) {
    const tooLarge =
      error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new RelayError('body_too_large') : new RelayError('invalid_body', { detail: encoding });
  }
}

/** The server of the fast way bounds a body itself, whichever way it comes. */
async function wholeBody(request: PlainRequest): Promise<Uint8Array> {
  try {
    return await request.bytes();
  } catch (error) {
    if (!(error instanceof RequestFormatError)) throw error;
    throw error.status === 413
      ? new RelayError('body_too_large')
      : new RelayError('invalid_body', { detail: error.message });
  }
}

async function readUnbounded(request: Request): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (request.body === null) return new Uint8Array();
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > bodyLimitBytes) throw new RelayError('body_too_large');
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

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
