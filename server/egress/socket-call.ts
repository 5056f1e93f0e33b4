// A question over a WebSocket in the shape of any other call: one message goes out, each message that comes back is one
// line of the body, and the end of the socket is the end of the body. A refused handshake is the answer it is in HTTP.
import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { ConnectionError } from './connection-error.ts';
import { dial } from './dial.ts';
import type { Target } from './egress.ts';
import type { Answer, BodySink, OutboundCall, Timeouts } from './outbound-call.ts';
import { ResponseParser, type ResponseHead } from './response-parser.ts';
import { clientFrame, MessageReader, opcodes } from './web-socket-frames.ts';

export interface SocketRequest {
  /** Path and query, already encoded. */
  path: string;
  /** Complete header lines; made by `headerLines`. */
  headers: string;
  message: string | Uint8Array;
  timeouts: Timeouts;
}

const handshakeSecret = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const messageLimitBytes = 8 * 1024 * 1024;
const tickMilliseconds = 250;
const drainMilliseconds = 1000;
const line = Buffer.from('\n');

export class SocketCall implements OutboundCall, Answer {
  readonly answer: Promise<Answer>;
  readonly #request: SocketRequest;
  readonly #key = randomBytes(16).toString('base64');
  readonly #messages = new MessageReader(messageLimitBytes);
  readonly #timer: ReturnType<typeof setInterval>;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: ConnectionError) => void;
  #socket: Socket | undefined;
  #parser: ResponseParser | undefined;
  #handshake = Buffer.alloc(0);
  #head: ResponseHead | undefined;
  #isOpen = false;
  #sink: BodySink | undefined;
  #early: Buffer[] = [];
  #hasEnded = false;
  #failure: ConnectionError | undefined;
  #deadline: number;
  readonly #lastDeadline: number;
  #drainDeadline = Number.POSITIVE_INFINITY;
  #isPaused = false;

  constructor(target: Target, request: SocketRequest) {
    this.#request = request;
    const now = performance.now();
    this.#deadline = now + request.timeouts.firstByteSeconds * 1000;
    this.#lastDeadline = now + request.timeouts.totalSeconds * 1000;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setInterval(() => this.#tick(), tickMilliseconds);
    void this.#start(target);
  }

  get status(): number {
    return this.#isOpen ? 200 : (this.#head?.status ?? 0);
  }

  header(name: string): string | undefined {
    if (this.#isOpen && name.toLowerCase() === 'content-type') return 'application/x-ndjson';
    return this.#head?.header(name);
  }

  entries(): [string, string][] {
    return this.#head?.entries() ?? [];
  }

  receive(sink: BodySink): void {
    this.#sink = sink;
    for (const part of this.#early.splice(0)) sink.data(part, 0, part.length);
    sink.flush();
    if (this.#hasEnded) sink.end();
    else if (this.#failure !== undefined) sink.fail(this.#failure);
  }

  pause(): void {
    this.#isPaused = true;
    this.#deadline = performance.now() + this.#request.timeouts.stalledReaderSeconds * 1000;
    this.#socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#moved();
    this.#socket?.resume();
  }

  drain(): void {
    this.#sink = { data() {}, flush() {}, end() {}, fail() {} };
    this.#drainDeadline = performance.now() + drainMilliseconds;
    this.resume();
  }

  abort(): void {
    this.#fail(new ConnectionError('aborted', 'aborted'));
  }

  async #start(target: Target): Promise<void> {
    try {
      const socket = await dial(target.endpoint);
      if (this.#isOver) return void socket.destroy();
      this.#socket = socket;
      socket.on('data', (bytes: Buffer) => this.#data(bytes));
      socket.on('end', () => this.#closed());
      socket.on('close', () => this.#closed());
      socket.on('error', (error) => this.#fail(new ConnectionError('reset', error.message)));
      socket.write(
        `GET ${this.#request.path} HTTP/1.1\r\nHost: ${target.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${this.#key}\r\nSec-WebSocket-Version: 13\r\n${this.#request.headers}\r\n`,
      );
    } catch (error) {
      this.#fail(error instanceof ConnectionError ? error : new ConnectionError('connect', 'no connection'));
    }
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#failure !== undefined;
  }

  #data(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#moved();
    try {
      if (this.#isOpen) this.#read(bytes);
      else this.#shake(bytes);
    } catch (error) {
      this.#fail(new ConnectionError('format', error instanceof Error ? error.message : 'bad answer'));
    }
  }

  /** The head of the handshake's answer; whatever follows it belongs to the socket. */
  #shake(bytes: Buffer): void {
    if (this.#parser !== undefined) return this.#parser.push(bytes);
    this.#handshake = Buffer.concat([this.#handshake, bytes]);
    const end = this.#handshake.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.#handshake.length > 64 * 1024) throw new Error('the handshake is too long');
      return;
    }
    const head = this.#handshake.toString('latin1', 0, end);
    if (!/^HTTP\/1\.1 101\b/.test(head)) return this.#refused(this.#handshake);
    const accept = /^sec-websocket-accept:\s*(\S+)\s*$/im.exec(head)?.[1];
    if (
      accept !==
      createHash('sha1')
        .update(this.#key + handshakeSecret)
        .digest('base64')
    ) {
      throw new Error('the handshake does not answer the key');
    }
    this.#isOpen = true;
    const { message } = this.#request;
    this.#socket?.write(clientFrame(opcodes.text, Buffer.from(message)));
    this.#resolve(this);
    const rest = this.#handshake.subarray(end + 4);
    this.#handshake = Buffer.alloc(0);
    if (rest.length > 0) this.#read(rest);
  }

  #refused(bytes: Buffer): void {
    this.#parser = new ResponseParser(
      {
        head: (head) => {
          this.#head = head;
          this.#resolve(this);
        },
        data: (part, start, end) => this.#hand(part.subarray(start, end)),
        end: () => this.#end(),
      },
      'GET',
    );
    this.#parser.push(bytes);
    this.#sink?.flush();
  }

  #read(bytes: Buffer): void {
    for (const { opcode, payload } of this.#messages.push(bytes)) {
      if (opcode === opcodes.ping) this.#socket?.write(clientFrame(opcodes.pong, payload));
      else if (opcode === opcodes.close) return this.#end();
      else if (opcode !== opcodes.pong) this.#hand(oneLine(payload));
    }
    this.#sink?.flush();
  }

  #hand(part: Buffer): void {
    if (this.#sink === undefined) this.#early.push(part);
    else this.#sink.data(part, 0, part.length);
  }

  #closed(): void {
    if (this.#isOver) return;
    if (this.#parser !== undefined && this.#parser.closed()) return;
    // Some upstreams hang up after their last message without a word.
    if (this.#isOpen) this.#end();
    else this.#fail(new ConnectionError('closed', 'the upstream closed the connection'));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    this.#leave();
    this.#sink?.end();
  }

  #fail(error: ConnectionError): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#leave();
    if (this.#head === undefined && !this.#isOpen) this.#reject(error);
    else this.#sink?.fail(error);
  }

  #leave(): void {
    clearInterval(this.#timer);
    this.#socket?.destroy();
  }

  #moved(): void {
    if (!this.#isPaused) this.#deadline = performance.now() + this.#request.timeouts.idleSeconds * 1000;
  }

  #tick(): void {
    const now = performance.now();
    if (now < this.#deadline && now < this.#lastDeadline && now < this.#drainDeadline) return;
    this.#fail(new ConnectionError('timeout', 'the upstream took too long'));
  }
}

/** Line breaks in JSON stand between its parts only, where a space does as well. */
function oneLine(message: Buffer): Buffer {
  const text =
    message.includes(10) || message.includes(13)
      ? Buffer.from(message.toString().replaceAll(/[\r\n]+/g, ' '))
      : message;
  return Buffer.concat([text, line]);
}
