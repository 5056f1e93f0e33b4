// A question over a WebSocket in the shape of any other call: one message goes out, each message that comes back is one
// line of the body, and the end of the socket is the end of the body. A refused handshake is an answer with its status.
import type { IncomingMessage } from 'node:http';
import { ConnectionError, connectionErrorOf } from './connection-error.ts';
import type { Answer, OutboundCall, Timeouts } from './http-call.ts';
import type { Target } from './target.ts';
import { HandshakeRefusedError, openWebSocket, type UpstreamSocket } from './web-socket.ts';

export interface SocketRequest {
  /** Path and query, already encoded. */
  path: string;
  headers: Headers;
  message: string | Uint8Array;
  timeouts: Timeouts;
}

const MESSAGE_LIMIT_BYTES = 8 * 1024 * 1024;
/** Unread messages beyond this stop the upstream. */
const UNREAD_LIMIT = 64;

export class SocketCall implements OutboundCall {
  readonly answer: Promise<Answer>;
  readonly #controller = new AbortController();
  #body: PushedBody | undefined;

  constructor(target: Target, request: SocketRequest) {
    this.answer = this.#open(target, request);
  }

  /** A socket carries one question: there is no connection to keep. */
  drain(): void {
    this.abort();
  }

  abort(): void {
    this.#controller.abort();
    this.#body?.fail(new ConnectionError('aborted', 'aborted'));
  }

  async #open(target: Target, { path, headers, message, timeouts }: SocketRequest): Promise<Answer> {
    try {
      const socket = await openWebSocket(target, {
        path,
        headers,
        messageLimitBytes: MESSAGE_LIMIT_BYTES,
        timeoutSeconds: timeouts.firstByteSeconds,
        signal: this.#controller.signal,
      });
      const body = new PushedBody(timeouts, {
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        close: () => socket.terminate(),
      });
      this.#body = body;
      readMessages(socket, body);
      socket.send(message);
      return answerOf(200, (name) => (name === 'content-type' ? 'application/x-ndjson' : undefined), body);
    } catch (error) {
      if (!(error instanceof HandshakeRefusedError)) throw connectionErrorOf(error);
      const { response } = error;
      const body = new PushedBody(timeouts, {
        pause: () => response.pause(),
        resume: () => response.resume(),
        close: () => response.destroy(),
      });
      this.#body = body;
      response.on('data', (part: Uint8Array) => body.push(part));
      response.on('end', () => body.end());
      response.on('error', (problem) => body.fail(connectionErrorOf(problem)));
      return answerOf(response.statusCode ?? 502, (name) => headerOf(response, name), body);
    }
  }
}

function readMessages(socket: UpstreamSocket, body: PushedBody): void {
  socket.addEventListener('message', ({ data }) => body.push(oneLine(data)));
  // Some upstreams close after their last message without a closing frame.
  socket.addEventListener('close', () => body.end());
  socket.resume();
}

function answerOf(status: number, header: (name: string) => string | undefined, body: PushedBody): Answer {
  return { status, header: (name) => header(name.toLowerCase()), read: () => body.read() };
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

interface Source {
  pause(): void;
  resume(): void;
  close(): void;
}

/** A body that is pushed by its source and pulled by its reader; the source waits when the reader is behind. */
class PushedBody {
  readonly #timeouts: Timeouts;
  readonly #source: Source;
  readonly #lastDeadline: number;
  #parts: Uint8Array[] = [];
  #hasEnded = false;
  #failure: ConnectionError | undefined;
  #waiting: (() => void) | undefined;

  constructor(timeouts: Timeouts, source: Source) {
    this.#timeouts = timeouts;
    this.#source = source;
    this.#lastDeadline = performance.now() + timeouts.totalSeconds * 1000;
  }

  push(part: Uint8Array): void {
    this.#parts.push(part);
    if (this.#parts.length >= UNREAD_LIMIT) this.#source.pause();
    this.#waiting?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiting?.();
  }

  fail(error: ConnectionError): void {
    if (this.#hasEnded || this.#failure !== undefined) return;
    this.#failure = error;
    this.#parts = [];
    this.#source.close();
    this.#waiting?.();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#parts.length === 0 && !this.#hasEnded && this.#failure === undefined) await this.#next();
    if (this.#failure !== undefined) throw this.#failure;
    const part = this.#parts.shift();
    if (this.#parts.length === 0) this.#source.resume();
    return part;
  }

  #next(): Promise<void> {
    const milliseconds = Math.min(
      this.#timeouts.idleSeconds * 1000,
      Math.max(0, this.#lastDeadline - performance.now()),
    );
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.fail(new ConnectionError('timeout', 'the upstream took too long')),
        milliseconds,
      );
      this.#waiting = () => {
        clearTimeout(timer);
        this.#waiting = undefined;
        resolve();
      };
    });
  }
}

/** Line breaks in JSON are only between its parts, where a space means the same. */
function oneLine(message: string | ArrayBuffer): Uint8Array {
  const text = typeof message === 'string' ? message : new TextDecoder().decode(message);
  return Buffer.from(`${text.replaceAll(/[\r\n]+/g, ' ')}\n`);
}
