// The response to a caller. Headers of every answer: request ids, open CORS without credentials, no cookies; of the upstream's headers
// only the content type passes, and only types that a browser does not execute, because the console has the same origin. A streamed
// answer is on the platform's direct stream: written bytes are sent by `flush`, and a promise resolves when the caller has read
// enough to be sent more.
import type { Settlement } from '#server/money/ledger/ledger.ts';
import type { CallerConnection } from '#server/relay/request/connection.ts';

const EXPOSED =
  'X-Request-Id, Request-Id, X-Tollgate-Request-Id, X-Tollgate-Cost, X-Tollgate-Balance, X-Tollgate-Conversion, X-Tollgate-Output-Limit, X-Tollgate-Model, X-Tollgate-Cache, X-Tollgate-Cache-Age, X-Tollgate-Cache-Key, Retry-After';

export function answerHeaders(
  request: Pick<Request, 'headers'>,
  requestId: string,
  contentType: string,
): Headers {
  const headers = new Headers(sharedHeaders(contentType));
  headers.set('X-Request-Id', requestId);
  headers.set('X-Tollgate-Request-Id', requestId);
  // Anthropic's clients read this one.
  headers.set('Request-Id', requestId);
  // Only browsers send an origin, and only browsers read these headers.
  if (request.headers.get('origin') !== null) {
    headers.set('Access-Control-Allow-Origin', '*');
    headers.set('Access-Control-Expose-Headers', EXPOSED);
  }
  return headers;
}

const shared = new Map<string, Headers>();
const MOST_SHARED = 100;

/** Copying headers costs half of what making them from an object does. */
function sharedHeaders(contentType: string): Headers {
  let headers = shared.get(contentType);
  if (headers === undefined) {
    headers = new Headers({
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "sandbox; default-src 'none'",
    });
    if (shared.size >= MOST_SHARED) shared.clear();
    shared.set(contentType, headers);
  }
  return headers;
}

export function streamHeaders(request: Request, requestId: string, contentType: string): Headers {
  const headers = answerHeaders(request, requestId, contentType);
  headers.set('Cache-Control', 'no-cache');
  headers.set('X-Accel-Buffering', 'no');
  return headers;
}

const PASSING =
  /^(?:application\/(?:json|octet-stream|x-ndjson|[\w.-]+\+json)|text\/(?:plain|event-stream)|(?:audio|video|image)\/(?!svg)[\w.+-]+)\s*(?:;|$)/i;

/** The upstream's content type, or application/octet-stream where a browser might execute it. */
export const passedType = (contentType: string): string =>
  PASSING.test(contentType) ? contentType : 'application/octet-stream';

/** Cost and balance in quota units, for callers who asked. */
export function reportHeaders(headers: Headers, settlement: Settlement): void {
  headers.set('X-Tollgate-Cost', String(settlement.charged));
  headers.set('X-Tollgate-Balance', String(settlement.balance));
}

/** The answer was asked for with a lower limit than the caller's, or with one at all. */
export function limitHeader(headers: Headers, { outputLimit }: { outputLimit?: number }): void {
  if (outputLimit !== undefined) headers.set('X-Tollgate-Output-Limit', String(outputLimit));
}

/** Of a call of a virtual model: the model that answered. */
export function modelHeader(headers: Headers, { route }: { route?: { readonly served: string } }): void {
  if (route !== undefined) headers.set('X-Tollgate-Model', headerText(route.served));
}

/** Of a caller whose answers are kept: whether this one was, how many seconds ago, and the name of its entry. */
export function cacheHeaders(
  headers: Headers,
  cache: { readonly state: string; readonly key: string | undefined; readonly age?: number } | undefined,
): void {
  if (cache === undefined) return;
  headers.set('X-Tollgate-Cache', cache.state);
  if (cache.age !== undefined) headers.set('X-Tollgate-Cache-Age', String(cache.age));
  if (cache.key !== undefined) headers.set('X-Tollgate-Cache-Key', cache.key);
}

/** Names of models may have letters that no header can carry. */
const headerText = (text: string): string => (/^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text));

/** Conversion losses for callers who asked for them: JSON in plain ASCII. */
export function receiptHeader(headers: Headers, { conversion }: { conversion?: string }): void {
  if (conversion === undefined || conversion === '') return;
  const ascii = conversion.replaceAll(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  headers.set('X-Tollgate-Conversion', ascii.length <= 4000 ? ascii : '{"notes":"too many; see the log"}');
}

export const reportComment = (settlement: Settlement): string =>
  `: tollgate cost=${settlement.charged} balance=${settlement.balance}\n\n`;

export function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers');
  const isTidy = asked !== null && /^[\w\s,-]{1,500}$/.test(asked);
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': isTidy ? asked : ALLOWED_HEADERS,
      'Access-Control-Max-Age': '86400',
      Vary: 'Access-Control-Request-Headers',
    },
  });
}

const ALLOWED_HEADERS =
  'Authorization, Content-Type, x-api-key, anthropic-version, anthropic-beta, x-goog-api-key, X-Title, HTTP-Referer, OpenAI-Beta, Tollgate-Cache';

/** Sink of a stream. Written bytes are sent by `flush`. */
export interface StreamSink {
  write(bytes: Uint8Array | string): void;
  /**
   * A promise while the caller reads slower than the relay writes; it resolves when the caller has caught up or has
   * left.
   */
  flush(): void | Promise<void>;
  close(): void;
  /** Cuts the connection: the caller sees that the answer is not whole. */
  cut(): void;
}

export interface StreamedBody {
  /** Connects the stream to the caller: bytes written after this call are sent. */
  attach(sink: StreamSink): void;
  /** The caller hung up. */
  left(): void;
}

interface DirectController {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): number | Promise<number>;
  close(error?: Error): void;
}

class ControllerSink implements StreamSink {
  readonly #controller: DirectController;
  readonly #onClose: () => void;
  #behind: Promise<void> | undefined;

  constructor(controller: DirectController, onClose: () => void) {
    this.#controller = controller;
    this.#onClose = onClose;
  }

  write(bytes: Uint8Array | string): void {
    const written = this.#controller.write(bytes);
    if (typeof written !== 'number') this.#wait(written);
  }

  flush(): void | Promise<void> {
    const flushed = this.#controller.flush();
    if (typeof flushed !== 'number') this.#wait(flushed);
    return this.#behind;
  }

  close(): void {
    this.#controller.close();
    this.#onClose();
  }

  cut(): void {
    this.#controller.close(new Error('the answer broke off'));
    this.#onClose();
  }

  #wait(taken: Promise<number>): void {
    const settle = () => {
      if (this.#behind === behind) this.#behind = undefined;
    };
    const behind: Promise<void> = Promise.resolve(taken).then(settle, settle);
    this.#behind = behind;
  }
}

export function streamResponse(
  body: StreamedBody,
  headers: Headers,
  connection: CallerConnection,
  status = 200,
): Response {
  const ended = connection.keepOpen();
  const finished = Promise.withResolvers<void>();
  const finish = () => {
    ended();
    finished.resolve();
  };
  const source = {
    type: 'direct',
    pull: (controller: DirectController): Promise<void> => {
      body.attach(new ControllerSink(controller, finish));
      return finished.promise;
    },
    cancel: () => {
      finish();
      body.left();
    },
  };
  return new Response(new ReadableStream(source as unknown as Bun.UnderlyingSource), { headers, status });
}

/** The caller's end of a stream: keeps what is written before the response head has been sent. */
export class Output implements StreamedBody {
  readonly #onLeft: () => void;
  readonly #attached = Promise.withResolvers<void>();
  #sink: StreamSink | undefined;
  #early = '';
  #isClosed = false;

  /** `onLeft`: the caller hung up. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  attach(sink: StreamSink): void {
    this.#sink = sink;
    if (this.#early !== '') sink.write(this.#early);
    this.#early = '';
    if (this.#isClosed) sink.close();
    else this.#attached.resolve(sink.flush());
  }

  left(): void {
    if (!this.#isClosed) this.#onLeft();
  }

  write(text: string): void {
    if (this.#sink === undefined) this.#early += text;
    else this.#sink.write(text);
  }

  /** A promise when the caller has not taken enough of what was written; it resolves when it has. */
  flush(): void | Promise<void> {
    return this.#sink === undefined ? this.#attached.promise : this.#sink.flush();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sink?.close();
  }
}
