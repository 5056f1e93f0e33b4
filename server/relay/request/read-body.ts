// Takes the body of a call off the wire: bounded in size and time while it arrives, in size after decompression, and as a JSON
// object in depth and members. A duplicate name is refused, because the upstream might read the other value.
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import { BODY_LIMIT_MEGABYTES } from '#contract/admin/limit-words.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { CallerConnection, CallerSeconds } from './connection.ts';

/** The public port enforces the same limit while it reads. */
export const BODY_LIMIT_BYTES = BODY_LIMIT_MEGABYTES * 1024 * 1024;

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
  const { request, connection } = incoming;
  const { headers } = request;
  const length = headers.get('content-length');
  if (length === null || Number(length) > MEGABYTE || headers.get('content-encoding') !== null)
    return parseJson(new TextDecoder().decode(await readBytes(incoming)));
  const text = await request.text();
  // From now on the upstream sets the pace.
  connection.timeout(0);
  return parseJson(text);
}

export async function readBytes(incoming: Unread): Promise<Uint8Array> {
  const { request, connection } = incoming;
  const { headers } = request;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  const decompress = decompressors[encoding];
  if (decompress === undefined && encoding !== 'identity' && encoding !== '')
    throw new RelayError('unsupported_encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) > BODY_LIMIT_BYTES) throw new RelayError('body_too_large');
  const bytes =
    length === null
      ? await readUnsized(incoming)
      : Number(length) > MEGABYTE
        ? await readPaced(incoming, Number(length))
        : await request.bytes();
  connection.timeout(0);
  if (decompress === undefined) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: BODY_LIMIT_BYTES });
  } catch (error) {
    const tooLarge =
      error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new RelayError('body_too_large') : new RelayError('invalid_body', { detail: encoding });
  }
}

const MEGABYTE = 1024 * 1024;

/** Each megabyte has its time, so a body that stalls is dropped soon and a large one at a modest pace is read. */
async function readPaced({ request, connection, seconds }: Unread, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let received = 0;
  let next = MEGABYTE;
  connection.timeout(seconds.megabyte);
  if (request.body === null) throw new RelayError('invalid_body', { detail: 'no body' });
  for await (const part of request.body as unknown as AsyncIterable<Uint8Array>) {
    bytes.set(part, received);
    received += part.length;
    if (received < next) continue;
    next = received + MEGABYTE;
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

/** Where a member is in the text of its object. */
export interface Member {
  /** Position of the name's opening quote. */
  start: number;
  valueStart: number;
  valueEnd: number;
}

export type ScanProblem = 'not_an_object' | 'too_deep' | 'too_many_members' | 'duplicate' | 'prototype';

export class ScanError extends Error {
  override name = 'ScanError';
  readonly problem: ScanProblem;
  constructor(problem: ScanProblem) {
    super(problem);
    this.problem = problem;
  }
}

const DEPTH_LIMIT = 100;
const MEMBER_LIMIT = 1000;

const QUOTE_MARK = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
export const CLOSE_ARRAY = 93;
const COLON = 58;
export const COMMA = 44;

/**
 * JSON.parse for objects. Too deep a text is refused before parsing; a duplicate name after it, when the text has more
 * members than the object has names.
 */
export function parseObject(text: string): Record<string, unknown> {
  const count = walk(text, undefined);
  const value = JSON.parse(text) as Record<string, unknown>;
  if (Object.hasOwn(value, '__proto__')) throw new ScanError('prototype');
  if (Object.keys(value).length !== count) throw new ScanError('duplicate');
  return value;
}

/** Visits the members, bounded in number and depth. Does not validate: the parser does. */
export function walk(text: string, members: Map<string, Member> | undefined): number {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) throw new ScanError('not_an_object');
  at = skipSpace(text, at + 1);
  let count = 0;
  while (at < text.length && text.charCodeAt(at) !== CLOSE_OBJECT) {
    if (text.charCodeAt(at) !== QUOTE_MARK) throw new ScanError('not_an_object');
    const start = at;
    const nameEnd = stringEnd(text, at);
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) !== COLON) throw new ScanError('not_an_object');
    const valueStart = skipSpace(text, at + 1);
    const valueEnd = skipValue(text, valueStart);
    count += 1;
    if (count > MEMBER_LIMIT) throw new ScanError('too_many_members');
    members?.set(nameOf(text, start, nameEnd), { start, valueStart, valueEnd });
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    else if (text.charCodeAt(at) !== CLOSE_OBJECT) throw new ScanError('not_an_object');
  }
  return count;
}

function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at += 1;
  }
}

/** The position after the closing quote. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) throw new ScanError('not_an_object');
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

export function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE_MARK) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth > DEPTH_LIMIT) throw new ScanError('too_deep');
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === COMMA || code === 32 || code === 10 || code === 13 || code === 9)) {
      return at;
    } else if (Number.isNaN(code)) throw new ScanError('not_an_object');
    at += 1;
  }
}
