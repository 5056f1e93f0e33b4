// Opens a file at its upstream through server/platform/egress. Redirects are followed by hand, so that each address is checked.
import type { Answer, Egress, EgressClass, OutboundCall } from '#server/platform/egress/index.ts';
import { ConnectionError, EgressError } from '#server/platform/egress/index.ts';
import type { InlineSource, MediaKind, Source } from './file.ts';
import { askedRange, bytesOf, readContentRange } from './range.ts';
import { mediaType } from './types.ts';

const MOST_HOPS = 3;
const TIMEOUTS = { firstByteSeconds: 30, idleSeconds: 60, totalSeconds: 3600 } as const;

/** The upstream has no such file, or one that does not pass. `isFinal`: asking again gives the same. */
export class MediaError extends Error {
  override name = 'MediaError';
  readonly isFinal: boolean;
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

export interface OpenSource {
  readonly call: Pick<OutboundCall, 'abort'>;
  readonly answer: Pick<Answer, 'status' | 'header' | 'read'>;
  readonly type: string;
  /** Bytes of this answer, when the upstream says so. */
  readonly length: number | undefined;
}

interface Wish {
  readonly egress: Pick<Egress, 'target' | 'open'>;
  /** `channel`: what is not at the source's home must be public. */
  readonly from: Extract<EgressClass, 'channel' | 'system'>;
  readonly kind: MediaKind;
  readonly mostBytes: number;
  /** `Range` and `If-Range` of the caller. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** 200, 206 or 416. Throws MediaError for everything else, and for a file over the limit. */
export async function openSource(source: Source | InlineSource, wish: Wish): Promise<OpenSource> {
  try {
    return 'bytes' in source ? inline(source, wish) : await follow(source, wish);
  } catch (error) {
    if (error instanceof EgressError) throw new MediaError(error.message, error.reason !== 'unresolved');
    if (error instanceof ConnectionError) throw new MediaError(error.message);
    throw error;
  }
}

/** Answers as an upstream would: the bytes have no tag, so a part is sent only when the caller asks for no certain version. */
function inline({ bytes, type: given }: InlineSource, { kind, mostBytes, headers = {} }: Wish): OpenSource {
  const type = mediaType(given, kind, '');
  if (type === undefined) throw new MediaError('the type of the file does not pass', true);
  if (bytes.length > mostBytes) throw new MediaError('the file is too large', true);
  const range = headers['If-Range'] === undefined ? askedRange(headers['Range'] ?? null) : undefined;
  const part = range === undefined ? { start: 0, end: bytes.length } : bytesOf(range, bytes.length);
  const place = part === undefined ? '*' : `${part.start}-${part.end - 1}`;
  const contentRange = range === undefined ? undefined : `bytes ${place}/${bytes.length}`;
  let rest: Uint8Array | undefined = part && bytes.subarray(part.start, part.end);
  return {
    call: { abort: () => undefined },
    answer: {
      status: range === undefined ? 200 : part === undefined ? 416 : 206,
      header: (name) => (name === 'content-range' ? contentRange : undefined),
      read() {
        const piece = rest;
        rest = undefined;
        return Promise.resolve(piece);
      },
    },
    type,
    length: part === undefined ? 0 : part.end - part.start,
  };
}

async function follow(source: Source, wish: Wish): Promise<OpenSource> {
  let url = parsed(source.url);
  let headers = source.headers ?? {};
  for (let hop = 0; hop <= MOST_HOPS; hop += 1) {
    const { call, answer } = await send(url, headers, source, wish);
    const { status } = answer;
    const location = answer.header('location');
    if (status >= 300 && status < 400 && location !== undefined) {
      call.drain();
      const next = parsed(new URL(location, url).href);
      if (next.origin !== url.origin) headers = {};
      url = next;
      continue;
    }
    try {
      return checkAnswer(call, answer, url.href, wish);
    } catch (error) {
      call.abort();
      throw error;
    }
  }
  throw new MediaError('too many redirects', true);
}

/** A hostile upstream must not name a service of the operator's own network, which is open to channels only. */
export const classOfResult = (origin: string, home: string): 'channel' | 'result' =>
  origin === home ? 'channel' : 'result';

function parsed(text: string): URL {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '')
    throw new MediaError('not an address of a file', true);
  return url;
}

async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { home, proxy = '' }: Source,
  wish: Wish,
) {
  const kind = wish.from === 'channel' ? classOfResult(url.origin, home) : wish.from;
  const target = await wish.egress.target(kind, url.origin, proxy);
  wish.signal?.throwIfAborted();
  const call = wish.egress.open(target, {
    method: 'GET',
    path: url.pathname + url.search,
    headers: new Headers({ Accept: `${wish.kind}/*, */*;q=0.5`, ...headers, ...wish.headers }),
    timeouts: TIMEOUTS,
  });
  return { call, answer: await call.answer };
}

function checkAnswer(call: OutboundCall, answer: Answer, url: string, wish: Wish): OpenSource {
  const { status } = answer;
  if (status === 416) return { call, answer, type: '', length: 0 };
  if (status !== 200 && status !== 206)
    throw new MediaError(`the upstream answered ${status}`, status === 404 || status === 410);
  const encoding = answer.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new MediaError('the file came compressed');
  const type = mediaType(answer.header('content-type'), wish.kind, url);
  if (type === undefined) throw new MediaError('the type of the file does not pass', true);
  const range = status === 206 ? readContentRange(answer.header('content-range')) : undefined;
  if (status === 206 && range === undefined) throw new MediaError('a part of the file without its place');
  const given = answer.header('content-length');
  const length =
    range === undefined ? (given === undefined ? undefined : Number(given)) : range.end - range.start;
  const size = range === undefined ? length : (range.size ?? range.end);
  if (size !== undefined && !(size <= wish.mostBytes)) throw new MediaError('the file is too large', true);
  return { call, answer, type, length };
}
