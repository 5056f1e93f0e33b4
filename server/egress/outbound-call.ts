// One request to an upstream and its answer: sent on a kept or a fresh connection, bounded in every phase, given up at
// once when asked.
import { ascii, bytesOf, encodeText, type ByteText } from './byte-text.ts';
import type { Connection, Exchange } from './connection.ts';
import { ConnectionError } from './connection-error.ts';
import type { Pool } from './pool.ts';
import type { ResponseHead } from './response-parser.ts';
import type { Roster, RosterMember } from './roster.ts';

export interface Timeouts {
  /** From the request until the head of the answer. */
  firstByteSeconds: number;
  /** Between two pieces of the answer. */
  idleSeconds: number;
  totalSeconds: number;
  /** How long a reader may stop reading before the call is given up. */
  stalledReaderSeconds: number;
}

export interface OutboundRequest {
  method: string;
  /** Path and query, already encoded. */
  path: string;
  /** Complete header lines, each with its line end; made by `headerLines`. */
  headers: string;
  body?: string | Uint8Array | undefined;
  timeouts: Timeouts;
}

/** Receives a body: each time `bytes` from `start` to `end`. After `end` or `fail` nothing more comes. */
export interface BodySink {
  data(bytes: Buffer, start: number, end: number): void;
  /** What arrived together has been handed over. */
  flush(): void;
  end(): void;
  fail(error: ConnectionError): void;
}

/** `bytes` from `start` on; `text` is the beginning of `bytes`, as far as it was looked at. */
export interface WholeBody {
  bytes: Buffer;
  start: number;
  text: ByteText;
}

export interface Answer extends ResponseHead {
  /** The whole body, when it came with the head. `receive` gives the same. */
  readonly whole?: WholeBody | undefined;
  receive(sink: BodySink): void;
  pause(): void;
  resume(): void;
}

export interface OutboundCall {
  readonly answer: Promise<Answer>;
  /** The rest does not matter: given a moment to end so that the connection can be kept, then hung up. */
  drain(): void;
  /** Hangs up. An answer still awaited, or the sink, hears of it as the failure `aborted`. */
  abort(): void;
}

const drainMilliseconds = 1000;
const ignore: BodySink = { data() {}, flush() {}, end() {}, fail() {} };

export class OutgoingCall implements OutboundCall, Exchange, Answer, RosterMember {
  readonly answer: Promise<Answer>;
  rosterPlace = -1;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: ConnectionError) => void;
  readonly #pool: Pool;
  readonly #host: string;
  readonly #request: OutboundRequest;
  readonly #running: Roster<OutgoingCall>;
  #connection: Connection | undefined;
  #wire: ByteText | Buffer | undefined;
  #head: ResponseHead | undefined;
  #sink: BodySink | undefined;
  #early: Buffer[] = [];
  whole: WholeBody | undefined;
  #ended = false;
  #failure: ConnectionError | undefined;
  #over = false;
  #paused = false;
  #mayRetry = false;
  #hasMoved = false;
  #deadline: number;
  #lastDeadline: number;

  constructor(pool: Pool, host: string, request: OutboundRequest, running: Roster<OutgoingCall>) {
    this.#pool = pool;
    this.#host = host;
    this.#request = request;
    this.#running = running;
    const now = performance.now();
    this.#deadline = now + request.timeouts.firstByteSeconds * 1000;
    this.#lastDeadline = now + request.timeouts.totalSeconds * 1000;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    running.add(this);
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  header(name: string): string | undefined {
    return this.#head?.header(name);
  }

  entries(): [string, string][] {
    return this.#head?.entries() ?? [];
  }

  start(): void {
    this.#wire = wireOf(this.#pool, this.#host, this.#request);
    const kept = this.#pool.take();
    // A kept connection may have been closed by the other side in this very moment: then, and only while not a byte of
    // an answer has come, the request goes out once more on a fresh one.
    if (kept !== undefined) {
      this.#mayRetry = true;
      this.#use(kept);
    } else this.#connect();
  }

  #connect(): void {
    this.#mayRetry = false;
    this.#pool.open().then(
      (connection) => {
        if (this.#over) connection.terminate();
        else this.#use(connection);
      },
      (error: ConnectionError) => this.failed(error),
    );
  }

  #use(connection: Connection): void {
    this.#connection = connection;
    connection.start(this, this.#request.method, this.#wire ?? ascii(''));
    if (!this.#mayRetry) this.#wire = undefined;
  }

  receive(sink: BodySink): void {
    this.#sink = sink;
    if (this.whole !== undefined) {
      const { bytes, start } = this.whole;
      if (start < bytes.length) {
        sink.data(bytes, start, bytes.length);
        sink.flush();
      }
      sink.end();
      return;
    }
    const early = this.#early;
    this.#early = [];
    for (const part of early) sink.data(part, 0, part.length);
    if (early.length > 0) sink.flush();
    if (this.#ended) sink.end();
    else if (this.#failure) sink.fail(this.#failure);
  }

  pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#connection?.pause();
    this.#deadline = performance.now() + this.#request.timeouts.stalledReaderSeconds * 1000;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#deadline = performance.now() + this.#request.timeouts.idleSeconds * 1000;
    this.#connection?.resume();
  }

  abort(): void {
    if (this.#over) return;
    this.#leave();
    this.#connection?.terminate();
    const error = new ConnectionError('aborted', 'aborted');
    this.#failure = error;
    if (this.#head === undefined) this.#reject(error);
    else this.#sink?.fail(error);
  }

  drain(): void {
    if (this.#over) return;
    this.#sink = ignore;
    this.#lastDeadline = performance.now() + drainMilliseconds;
    this.resume();
  }

  tick(now: number): void {
    // Reading the clock for every chunk would cost more than looking at the chunk.
    if (this.#hasMoved && !this.#paused) this.#deadline = now + this.#request.timeouts.idleSeconds * 1000;
    this.#hasMoved = false;
    if (now < this.#deadline && now < this.#lastDeadline) return;
    const connection = this.#connection;
    this.failed(
      new ConnectionError('timeout', this.#paused ? 'the reader stalled' : 'the upstream took too long'),
    );
    connection?.terminate();
  }

  head(head: ResponseHead): void {
    this.#head = head;
    this.#wire = undefined;
    this.#deadline = performance.now() + this.#request.timeouts.idleSeconds * 1000;
    this.#resolve(this);
  }

  allAtOnce(head: ResponseHead, bytes: Buffer, start: number, text: ByteText, reusable: boolean): void {
    this.#head = head;
    this.whole = { bytes, start, text };
    this.#connection?.finished(reusable);
    this.#leave();
    this.#ended = true;
    this.#resolve(this);
  }

  data(bytes: Buffer, start: number, end: number): void {
    if (this.#sink !== undefined) this.#sink.data(bytes, start, end);
    else this.#early.push(bytes.subarray(start, end));
  }

  flush(): void {
    if (this.#over) return;
    this.#hasMoved = true;
    this.#sink?.flush();
  }

  end(reusable: boolean): void {
    this.#connection?.finished(reusable);
    this.#leave();
    this.#ended = true;
    this.#sink?.end();
  }

  failed(error: ConnectionError): void {
    if (this.#over) return;
    if (
      this.#mayRetry &&
      this.#head === undefined &&
      (error.reason === 'closed' || error.reason === 'reset')
    ) {
      if (this.#connection?.isUnanswered) return this.#connect();
    }
    this.#leave();
    this.#failure = error;
    if (this.#head === undefined) this.#reject(error);
    else this.#sink?.fail(error);
  }

  #leave(): void {
    this.#over = true;
    this.#wire = undefined;
    this.#running.remove(this);
  }
}

function wireOf(
  pool: Pool,
  host: string,
  { method, path, headers, body }: OutboundRequest,
): ByteText | Buffer {
  const start = pool.beginning(method, path, host, headers);
  if (body === undefined) return ascii(`${start}\r\n`);
  if (typeof body !== 'string')
    return Buffer.concat([bytesOf(ascii(`${start}Content-Length: ${body.length}\r\n\r\n`)), body]);
  const bytes = encodeText(body);
  return ascii(`${start}Content-Length: ${bytes.length}\r\n\r\n${bytes}`);
}
