// One keep-alive connection of the load generator: just enough HTTP/1.1 to find the end of an answer and count its
// events, so that the generator uses little CPU.
import type { Socket } from 'bun';

export interface Exchange {
  status: number;
  events: number;
  startedAt: number;
  firstEventAt: number;
  hasRetryAfter: boolean;
}

export interface ConnectionEvents {
  onFirstEvent: (exchange: Exchange) => void;
  onEvent: (connection: Connection, exchange: Exchange) => void;
  onDone: (connection: Connection, exchange: Exchange) => void;
  /** The connection broke while an answer was due. */
  onBroken: (connection: Connection, reason: string) => void;
}

const headEnd = Buffer.from('\r\n\r\n');
const eventEnd = Buffer.from('\n\n');

export class Connection {
  readonly #request: Buffer;
  readonly #events: ConnectionEvents;
  isOpen = false;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #unsent: Buffer | undefined;
  #head: Buffer | undefined;
  #inBody = false;
  #bytesLeft = 0;
  #chunked = false;
  #streaming = false;
  #part: 'size' | 'payload' | 'gap' | 'end' = 'size';
  #sizeText = '';
  /** The payload so far ends with a line end that has not ended an event. */
  #lineEnded = false;

  constructor(request: Buffer, events: ConnectionEvents) {
    this.#request = request;
    this.#events = events;
  }

  async open(hostname: string, port: number): Promise<void> {
    this.#socket = await Bun.connect({
      hostname,
      port,
      socket: {
        data: (_, chunk) => this.#read(chunk),
        drain: () => this.#flush(),
        close: () => {
          this.isOpen = false;
          this.#broke('closed');
        },
        error: (_, error) => this.#broke(error.message),
      },
    });
    this.isOpen = true;
  }

  send(): void {
    const startedAt = performance.now();
    this.#exchange = { status: 0, events: 0, startedAt, firstEventAt: 0, hasRetryAfter: false };
    this.#inBody = false;
    this.#head = undefined;
    this.#unsent = this.#request;
    this.#flush();
  }

  /** Closes without a shutdown, as a closed browser tab does. */
  abort(): void {
    this.#exchange = undefined;
    this.#socket?.terminate();
  }

  close(): void {
    this.#exchange = undefined;
    this.#socket?.end();
  }

  #flush(): void {
    if (!this.#unsent || !this.#socket) return;
    const written = this.#socket.write(this.#unsent);
    this.#unsent = written < this.#unsent.length ? this.#unsent.subarray(Math.max(0, written)) : undefined;
  }

  #broke(reason: string): void {
    if (!this.#exchange) return;
    this.#exchange = undefined;
    this.#events.onBroken(this, reason);
  }

  #read(chunk: Buffer): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    let body = chunk;
    if (!this.#inBody) {
      const all = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      const end = all.indexOf(headEnd);
      if (end < 0) {
        this.#head = Buffer.from(all);
        return;
      }
      this.#readHead(exchange, all.toString('latin1', 0, end));
      body = all.subarray(end + headEnd.length);
      if (exchange.status === 100) return this.#read(body);
    }
    const ended = this.#chunked ? this.#readChunks(exchange, body) : this.#readPlain(exchange, body);
    if (!ended || this.#exchange !== exchange) return;
    this.#exchange = undefined;
    this.#events.onDone(this, exchange);
  }

  /** True = the body is complete. */
  #readPlain(exchange: Exchange, body: Buffer): boolean {
    if (this.#streaming) this.#countEvents(exchange, body);
    this.#bytesLeft -= body.length;
    return this.#bytesLeft <= 0;
  }

  #readChunks(exchange: Exchange, body: Buffer): boolean {
    let at = 0;
    while (at < body.length) {
      if (this.#part === 'size') {
        const lineEnd = body.indexOf(10, at);
        this.#sizeText += body.toString('latin1', at, lineEnd < 0 ? body.length : lineEnd);
        if (lineEnd < 0) return false;
        at = lineEnd + 1;
        this.#bytesLeft = Number.parseInt(this.#sizeText, 16);
        this.#sizeText = '';
        this.#part = this.#bytesLeft === 0 ? 'end' : 'payload';
      } else if (this.#part === 'payload') {
        const payload = body.subarray(at, at + this.#bytesLeft);
        at += payload.length;
        this.#bytesLeft -= payload.length;
        if (this.#streaming) this.#countEvents(exchange, payload);
        if (this.#exchange !== exchange) return false;
        if (this.#bytesLeft === 0) this.#part = 'gap';
      } else {
        // The line end after a chunk, or the empty line after the last one.
        const lineEnd = body.indexOf(10, at);
        if (lineEnd < 0) return false;
        if (this.#part === 'end') return true;
        at = lineEnd + 1;
        this.#part = 'size';
      }
    }
    return false;
  }

  #readHead(exchange: Exchange, head: string): void {
    exchange.status = Number(head.slice(9, 12));
    if (exchange.status === 100) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    exchange.hasRetryAfter = exchange.status !== 200 && /\r\nretry-after: *[1-9]/i.test(head);
    this.#inBody = true;
    this.#chunked = !length;
    this.#bytesLeft = Number(length?.[1] ?? 0);
    this.#streaming = /\r\ncontent-type: *text\/event-stream/i.test(head);
    this.#part = 'size';
    this.#sizeText = '';
    this.#lineEnded = false;
  }

  #countEvents(exchange: Exchange, payload: Buffer): void {
    let from = 0;
    if (this.#lineEnded && payload[0] === 10) {
      from = 1;
      this.#countEvent(exchange);
    }
    let at = payload.indexOf(eventEnd, from);
    while (at >= 0 && this.#exchange === exchange) {
      this.#countEvent(exchange);
      from = at + eventEnd.length;
      at = payload.indexOf(eventEnd, from);
    }
    this.#lineEnded = from < payload.length && payload.at(-1) === 10;
  }

  #countEvent(exchange: Exchange): void {
    exchange.events += 1;
    if (exchange.events === 1) {
      exchange.firstEventAt = performance.now();
      this.#events.onFirstEvent(exchange);
    }
    this.#events.onEvent(this, exchange);
  }
}
