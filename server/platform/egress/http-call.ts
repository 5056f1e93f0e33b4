// One HTTP request to a checked address and its answer, by the platform's `fetch`: it keeps connections, stops reading the
// upstream's socket when the answer is not read, and never sends a POST twice. Here are the deadlines, checked four times a
// second for all calls together.
import { ConnectionError, connectionErrorOf } from './connection-error.ts';
import type { IndexedSet, IndexedSetMember } from './indexed-set.ts';
import type { Target } from './target.ts';

export interface Timeouts {
  /** From the request to the end of the answer's head. Neither 1xx answers nor single bytes of a head extend it. */
  firstByteSeconds: number;
  /** How long the upstream may send nothing while the answer is being read. */
  idleSeconds: number;
  totalSeconds: number;
}

export interface OutboundRequest {
  method: string;
  /** Path and query, already encoded. */
  path: string;
  /** The call sets `Host` and `Accept-Encoding` in it. Several calls may share one. */
  headers: Headers;
  body?: string | Uint8Array | undefined;
  timeouts: Timeouts;
}

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  /** The next piece, undefined at the end. While this is not called, the upstream is not read. */
  read(): Promise<Uint8Array | undefined>;
  /** The whole body, if its length is known and small; undefined when it must be read piece by piece. */
  smallBody?(limitBytes: number): Promise<Uint8Array | undefined>;
}

export interface OutboundCall {
  readonly answer: Promise<Answer>;
  /** Reads the rest for a second so that the connection can be kept, then gives up. */
  drain(): void;
  /** Closes the connection. An answer or piece that is awaited fails as `aborted`. */
  abort(): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const DRAIN_MILLISECONDS = 1000;
/** Read in one step, which costs less than a reader. The platform reads no further than the length it was given. */
const SMALL_BODY_BYTES = 256 * 1024;

export class HttpCall implements OutboundCall, Answer, IndexedSetMember {
  readonly answer: Promise<Answer>;
  placeInSet = -1;
  readonly #running: IndexedSet<HttpCall>;
  readonly #controller = new AbortController();
  readonly #idleMilliseconds: number;
  #response: Response | undefined;
  #reader: Reader | undefined;
  #failure: ConnectionError | undefined;
  #isOver = false;
  #isReading = true;
  #hasMoved = false;
  #deadline: number;
  #lastDeadline: number;

  constructor(target: Target, request: OutboundRequest, running: IndexedSet<HttpCall>) {
    const { timeouts } = request;
    const now = performance.now();
    this.#running = running;
    this.#idleMilliseconds = timeouts.idleSeconds * 1000;
    this.#deadline = now + timeouts.firstByteSeconds * 1000;
    this.#lastDeadline = now + timeouts.totalSeconds * 1000;
    running.add(this);
    this.answer = this.#send(target, request);
  }

  get status(): number {
    return this.#response?.status ?? 0;
  }

  get headers(): Headers {
    return this.#response?.headers ?? new Headers();
  }

  header(name: string): string | undefined {
    return this.#response?.headers.get(name) ?? undefined;
  }

  async #send(target: Target, { method, path, headers, body }: OutboundRequest): Promise<Answer> {
    try {
      await nextTurn();
      const options: BunFetchRequestInit = {
        // First: copying into an object that has members already costs more.
        ...target.options,
        method,
        headers: withOwnHeaders(headers, target.host),
        signal: this.#controller.signal,
      };
      if (body !== undefined) options.body = body as string | Uint8Array<ArrayBuffer>;
      const response = await fetch(target.base + path, options);
      this.#response = response;
      this.#isReading = false;
      return this;
    } catch (error) {
      throw this.#failed(target.proxyFailure() ?? error);
    }
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#reader ??= this.#response?.body?.getReader() as Reader | undefined;
    if (this.#reader === undefined) return this.#ended();
    this.#isReading = true;
    this.#hasMoved = true;
    try {
      const { value } = await this.#reader.read();
      this.#isReading = false;
      this.#hasMoved = true;
      return value ?? this.#ended();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async smallBody(limitBytes: number): Promise<Uint8Array | undefined> {
    const length = this.header('content-length');
    const isSmall = length !== undefined && Number(length) <= Math.min(limitBytes, SMALL_BODY_BYTES);
    if (!isSmall || this.#response === undefined || this.#failure !== undefined) return undefined;
    this.#isReading = true;
    this.#hasMoved = true;
    try {
      const bytes = await this.#response.bytes();
      this.#ended();
      return bytes;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  drain(): void {
    if (this.#isOver) return;
    this.#lastDeadline = performance.now() + DRAIN_MILLISECONDS;
    void this.#discard();
  }

  abort(): void {
    this.#stop(new ConnectionError('aborted', 'aborted'));
  }

  /** Reading the clock for every piece would cost more than the deadline is worth: a piece only leaves a mark. */
  tick(now: number): void {
    if (this.#hasMoved) this.#deadline = now + this.#idleMilliseconds;
    this.#hasMoved = false;
    if ((now < this.#deadline || !this.#isReading) && now < this.#lastDeadline) return;
    this.#stop(new ConnectionError('timeout', 'the upstream took too long'));
  }

  async #discard(): Promise<void> {
    try {
      while ((await this.read()) !== undefined);
    } catch {
      // What follows the end of an answer does not matter.
    }
  }

  #stop(error: ConnectionError): void {
    if (this.#isOver) return;
    this.#failed(error);
    this.#controller.abort(error);
  }

  #failed(error: unknown): ConnectionError {
    this.#failure ??= connectionErrorOf(error);
    this.#ended();
    return this.#failure;
  }

  #ended(): undefined {
    this.#isOver = true;
    this.#running.remove(this);
  }
}

let turn: Promise<void> | undefined;

/**
 * Requests of one turn of the event loop are handed to the platform's client together, because each hand-over may wake its
 * thread (ADR 28).
 */
function nextTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/** Sets each header; a name or value that could begin another header fails as `format`. */
export function withHeaders(headers: Headers, added: Readonly<Record<string, string>>): Headers {
  try {
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
  } catch (error) {
    throw connectionErrorOf(error);
  }
  return headers;
}

/** The host that is set in headers which several calls share. */
const hosts = new WeakMap<Headers, string>();

/** Compressed answers are not asked for, and the platform's own name and version are not sent. */
function withOwnHeaders(headers: Headers, host: string): Headers {
  if (hosts.get(headers) === host) return headers;
  headers.set('Host', host);
  headers.set('Accept-Encoding', 'identity');
  if (!headers.has('User-Agent')) headers.set('User-Agent', 'Tollgate');
  hosts.set(headers, host);
  return headers;
}

/** The whole body. Over the limit the call is aborted and fails as `too_large`. */
export async function readAll(
  call: OutboundCall,
  answer: Answer,
  limitBytes: number,
  /** Called when the body begins. */
  onFirst?: () => void,
): Promise<Buffer> {
  const small = await answer.smallBody?.(limitBytes);
  if (small !== undefined) {
    if (small.length > 0) onFirst?.();
    return Buffer.from(small.buffer, small.byteOffset, small.length);
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const part = await answer.read();
    if (part === undefined) return Buffer.concat(parts, length);
    if (length === 0) onFirst?.();
    length += part.length;
    if (length > limitBytes) {
      call.abort();
      throw new ConnectionError('too_large', `the answer has more than ${limitBytes} bytes`);
    }
    parts.push(part);
  }
}
