// One connection of a caller: request after request, each either answered by a handler of the fast way or carried to the
// server behind. One at a time: what a caller sends early waits here.
import type { Socket } from 'bun';
import { byteText, type ByteText } from '#server/egress/byte-text.ts';
import { ChunkedBody, wholeAnswer } from './answer-writer.ts';
import { ConsoleLink, type LinkOwner } from './console-link.ts';
import { EdgeRequest, noBytes } from './edge-request.ts';
import { isStreamed, type FastHandler, type PlainAnswer, type StreamedBody } from './exchange.ts';
import { BodyPace, limits, type Patience } from './patience.ts';
import { BodyReader, nowhere } from './request-body.ts';
import { headLimitBytes, HeadReader, RequestFormatError, type RequestHead } from './request-head.ts';
import { SocketWriter } from '#server/egress/socket-writer.ts';

export interface ConnectionOwner {
  /** undefined: not on the fast way. */
  fast(path: string): FastHandler | undefined;
  /** The socket of the server behind. */
  readonly unix: string;
  /** A header line that tells the server behind whose request this is. */
  peerLine(address: string): string;
  readonly bodyLimitBytes: number;
  readonly isDraining: boolean;
  readonly patience: Patience;
  gone(connection: EdgeConnection): void;
  fault(error: unknown): void;
}

export class EdgeConnection implements LinkOwner {
  /** When the caller has had enough time for what is awaited of it. */
  deadline: number;
  readonly address: string;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket<EdgeConnection>;
  readonly #writer: SocketWriter;
  readonly #heads = new HeadReader();
  #held: Buffer = noBytes;
  #isBusy = false;
  #isClosed = false;
  #isEnding = false;
  #isPaused = false;
  #isKept = true;
  #body: BodyReader | undefined;
  #bodyPace: BodyPace | undefined;
  #request: EdgeRequest | undefined;
  #stream: StreamedBody | undefined;
  #link: ConsoleLink | undefined;
  #isForwarding = false;
  #isAnswered = false;
  #isSpliced = false;
  /** Made once, not for every request. */
  readonly #onAnswer = (answer: PlainAnswer): void => this.#answer(answer);
  readonly #onFault = (error: unknown): void => this.#fault(error);

  constructor(owner: ConnectionOwner, socket: Socket<EdgeConnection>) {
    this.#owner = owner;
    this.deadline = performance.now() + owner.patience.headMilliseconds;
    this.#socket = socket;
    this.#writer = new SocketWriter(socket);
    this.address = socket.remoteAddress;
  }

  onData(bytes: Buffer): void {
    if (this.#isClosed || this.#isEnding) return;
    if (this.#isSpliced) return this.#toLink(bytes);
    try {
      if (this.#body !== undefined && !this.#body.isDone) this.#takeBody(bytes, 0);
      else this.#hold(bytes);
      if (!this.#isBusy) this.#next();
    } catch (error) {
      this.#refuse(error);
    }
  }

  onDrain(): void {
    if (!this.#writer.drain()) return;
    if (this.#isEnding) return this.#hangUp();
    this.#stream?.drained();
    if (!this.#isForwarding) return;
    this.#link?.resume();
    this.deadline = Number.POSITIVE_INFINITY;
  }

  /** The caller sends no more. A call of a model is given up: its caller has closed, as far as can be told. */
  onEnd(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isKept = false;
    if (this.#isForwarding && this.#link !== undefined) this.#link.finish();
    else this.end();
  }

  onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#owner.gone(this);
    const request = this.#request;
    if (request !== undefined) {
      request.aborted = true;
      request.fail(new Error('the caller hung up'));
    }
    this.#stream?.left();
    this.#link?.close();
  }

  terminate(): void {
    this.#socket.terminate();
    this.onClosed();
  }

  /** Nothing new is begun here. */
  drain(): void {
    if (!this.#isBusy) this.end();
  }

  end(): void {
    this.#isEnding = true;
    if (!this.#writer.isFull) this.#hangUp();
  }

  #hangUp(): void {
    this.#socket.end();
    this.onClosed();
  }

  #hold(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    if (this.#isBusy && this.#held.length > limits.aheadBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
  }

  /** Starts the requests that have been read; stops at the first that is not answered at once. */
  #next(): void {
    while (!this.#isBusy && this.#held.length > 0 && !this.#isEnding && !this.#isClosed) {
      const held = this.#held;
      // An empty line before a request is left over from a careless client.
      if (held[0] === 13 && held[1] === 10) {
        this.#held = held.subarray(2);
        continue;
      }
      const text = byteText(held, 0, Math.min(held.length, headLimitBytes + 4));
      const end = text.indexOf('\r\n\r\n');
      if (end < 0 || end > headLimitBytes) {
        if (held.length > headLimitBytes) throw new RequestFormatError(431, 'the head is too large');
        this.deadline = Math.min(this.deadline, performance.now() + this.#owner.patience.headMilliseconds);
        return;
      }
      const head = this.#heads.read(held, text, end + 2);
      this.#held = noBytes;
      this.#start(head, held, end + 4, text);
    }
  }

  /** `bytes` from `bodyStart` on: what came together with the head. `text`: their beginning, as far as it was looked at. */
  #start(head: RequestHead, bytes: Buffer, bodyStart: number, text: ByteText): void {
    this.#isBusy = true;
    this.#isKept = head.isKeptAlive;
    this.deadline = Number.POSITIVE_INFINITY;
    const isFast = head.method === 'POST' && head.isHttp11 && !head.isUpgrade;
    const handler = isFast ? this.#owner.fast(head.path) : undefined;
    this.#body = new BodyReader(head.contentLength);
    this.#bodyPace = undefined;
    if (handler === undefined) return this.#forward(head, bytes, bodyStart);
    const request = new EdgeRequest(head, this.#owner.bodyLimitBytes, bytes, text);
    this.#request = request;
    this.#takeBody(bytes, bodyStart);
    if (!this.#body.isDone && head.get('expect')?.toLowerCase() === '100-continue')
      this.#writer.write(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'));
    const answer = handler(request, this.address);
    if (answer instanceof Promise) answer.then(this.#onAnswer, this.#onFault);
    else this.#answer(answer);
  }

  #takeBody(bytes: Buffer, start: number): void {
    const body = this.#body;
    if (body === undefined) return;
    const request = this.#request;
    const end = body.push(bytes, start, request ?? nowhere);
    if (this.#isForwarding && end > start) this.#toLink(bytes.subarray(start, end));
    if (!body.isDone) {
      this.#bodyPace ??= new BodyPace(this.#owner.patience);
      // What is sent after the answer buys no more time.
      if (this.#isBusy) this.deadline = this.#bodyPace.deadlineAfter(end - start);
      return;
    }
    if (this.#isBusy) this.deadline = Number.POSITIVE_INFINITY;
    if (end < bytes.length) this.#hold(bytes.subarray(end));
    request?.end();
    if (this.#isAnswered) this.#done();
    else if (!this.#isBusy) this.end();
  }

  #answer(answer: PlainAnswer): void {
    const { body } = answer;
    if (this.#isClosed || this.#isEnding) {
      if (isStreamed(body)) body.left();
      return;
    }
    this.#isKept &&= this.#body?.isDone === true && !this.#owner.isDraining;
    if (isStreamed(body)) return this.#answerStream(answer, body);
    this.#writer.writeAny(wholeAnswer(answer, body ?? '', this.#isKept));
    this.#done();
  }

  #answerStream(answer: PlainAnswer, body: StreamedBody): void {
    this.#stream = body;
    const full = (): void => body.full();
    const done = (): void => this.#done();
    body.attach(new ChunkedBody(this.#writer, answer, this.#isKept, full, done));
  }

  /** The answer has been written. */
  #done(): void {
    this.#isBusy = false;
    this.#isForwarding = false;
    this.#isAnswered = false;
    this.#request = undefined;
    this.#stream = undefined;
    if (!this.#isKept) {
      if (this.#body?.isDone === true) return this.end();
      this.deadline = performance.now() + this.#owner.patience.lingerMilliseconds;
      return;
    }
    this.#body = undefined;
    this.deadline = performance.now() + limits.idleMilliseconds;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    if (this.#held.length === 0) return;
    try {
      this.#next();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #forward(head: RequestHead, bytes: Buffer, bodyStart: number): void {
    if (this.#link?.isUsable !== true) {
      this.#link?.close();
      this.#link = new ConsoleLink(this.#owner.unix, this);
    }
    this.#isForwarding = true;
    const lines = head.text;
    const start = lines.indexOf('\r\n') + 2;
    this.#link.begin(head.method, head.isUpgrade);
    const text = `${lines.slice(0, start)}${this.#owner.peerLine(this.address)}${lines.slice(start)}\r\n`;
    this.#toLink(Buffer.from(text, 'latin1'));
    if (head.isUpgrade) {
      this.#isSpliced = true;
      if (bodyStart < bytes.length) this.#toLink(bytes.subarray(bodyStart));
      return;
    }
    this.#takeBody(bytes, bodyStart);
  }

  #toLink(bytes: Buffer): void {
    if (this.#link?.send(bytes) === false) this.#socket.pause();
  }

  linkDrained(): void {
    this.#socket.resume();
  }

  answerBytes(bytes: Buffer): void {
    if (this.#writer.write(bytes)) return;
    this.#link?.pause();
    this.deadline = performance.now() + limits.idleMilliseconds;
  }

  answered(isOpen: boolean): void {
    this.#isKept &&= isOpen && !this.#owner.isDraining;
    // Answered before all was sent: the rest goes the same way, and then the connection is good for another request.
    if (this.#isKept && this.#body?.isDone !== true) this.#isAnswered = true;
    else this.#done();
  }

  broken(): void {
    if (this.#isForwarding) this.end();
  }

  #refuse(error: unknown): void {
    if (!(error instanceof RequestFormatError)) return this.#fault(error);
    const text = JSON.stringify({ error: { message: error.message, type: 'invalid_request_error' } });
    const headers = { 'Content-Type': 'application/json' };
    this.#request?.fail(error);
    this.#writer.writeAny(wholeAnswer({ status: error.status, headers, body: text }, text, false));
    this.end();
  }

  #fault(error: unknown): void {
    this.#owner.fault(error);
    this.terminate();
  }
}
