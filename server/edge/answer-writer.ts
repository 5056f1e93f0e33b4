// Puts an answer into bytes: one write for a whole one, one chunk per flush for a streamed one.
import type { ByteText } from '#server/egress/byte-text.ts';
import type { PlainAnswer, StreamSink } from './exchange.ts';
import type { SocketWriter } from './socket-writer.ts';

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The head up to, not including, the header that frames the body. */
function headOf({ status, headers }: PlainAnswer, isKept: boolean): string {
  let head = `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\n`;
  for (const name in headers) {
    const value = headers[name] as string;
    // Values come from our own code and from checked upstream headers; a line break would be a second answer.
    if (/[\r\n\0]/.test(value)) continue;
    head += `${name}: ${value}\r\n`;
  }
  head += `Date: ${httpDate()}\r\n`;
  return isKept ? head : `${head}Connection: close\r\n`;
}

export function wholeAnswer(
  answer: PlainAnswer,
  body: string | Uint8Array,
  isKept: boolean,
): Buffer | string {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const head = `${headOf(answer, isKept)}Content-Length: ${length}\r\n\r\n`;
  // The socket encodes a text itself; bytes of our own would be one more thing to collect.
  if (typeof body === 'string') return head + body;
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 0, 'latin1');
  bytes.set(body, head.length);
  return bytes;
}

/** Writes in chunks; the head goes with the first. */
export class ChunkedBody implements StreamSink {
  readonly #writer: SocketWriter;
  readonly #onFull: () => void;
  readonly #onEnd: () => void;
  #pending = '';
  #head: string;
  #isClosed = false;

  constructor(
    writer: SocketWriter,
    answer: PlainAnswer,
    isKept: boolean,
    onFull: () => void,
    onEnd: () => void,
  ) {
    this.#writer = writer;
    this.#onFull = onFull;
    this.#onEnd = onEnd;
    this.#head = `${headOf(answer, isKept)}Transfer-Encoding: chunked\r\n\r\n`;
  }

  write(bytes: ByteText): void {
    if (!this.#isClosed) this.#pending += bytes;
  }

  flush(): void {
    if (!this.#isClosed) this.#send('');
  }

  close(): void {
    if (this.#isClosed) return;
    this.#send('0\r\n\r\n');
    this.#isClosed = true;
    this.#onEnd();
  }

  #send(tail: string): void {
    const pending = this.#pending;
    const chunk = pending === '' ? '' : `${pending.length.toString(16)}\r\n${pending}\r\n`;
    const bytes = `${this.#head}${chunk}${tail}`;
    if (bytes === '') return;
    this.#head = '';
    this.#pending = '';
    if (!this.#writer.writeBytes(bytes as ByteText)) this.#onFull();
  }
}

let dateSecond = 0;
let dateText = '';

function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
