// Puts an answer into bytes: one write for a whole one, one chunk per flush for a streamed one.
import { byteText, encodeText, type ByteText } from '#server/egress/byte-text.ts';
import type { PlainAnswer, StreamSink } from './exchange.ts';
import type { SocketWriter } from '#server/egress/socket-writer.ts';

const CR = 13;
const LF = 10;

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
  let head = status === 200 ? 'HTTP/1.1 200 OK' : `HTTP/1.1 ${status} ${reasons[status] ?? ''}`;
  for (const name in headers) {
    const value = headers[name] as string;
    if (!notInHeader.test(value)) head = `${head}\r\n${name}: ${value}`;
  }
  return `${head}\r\nDate: ${httpDate()}\r\n${isKept ? '' : 'Connection: close\r\n'}`;
}

/**
 * Values come from our own code and from checked upstream headers; a line break would be a second answer, and so would a
 * character whose lower half is one: such a header is left out.
 */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

/** A text of bytes is all the socket needs; bytes of our own would be one more thing to collect. */
export function wholeAnswer(
  answer: PlainAnswer,
  body: string | Uint8Array,
  isKept: boolean,
): Buffer | ByteText {
  const head = headOf(answer, isKept);
  if (typeof body === 'string') {
    const bytes = answer.isEncoded === true ? body : encodeText(body);
    return `${head}Content-Length: ${bytes.length}\r\n\r\n${bytes}` as ByteText;
  }
  const start = `${head}Content-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.allocUnsafe(start.length + body.length);
  bytes.write(start, 0, 'latin1');
  bytes.set(body, start.length);
  return bytes;
}

/** Of usual chunks: writing a number in another base takes as long as all the rest of a chunk. */
const sizes = Array.from({ length: 2048 }, (_, length) => length.toString(16));

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

  writeInPlace(bytes: Buffer, start: number, end: number): void {
    const size = sizes[end - start];
    const from = size === undefined ? -1 : start - size.length - 2;
    const isNext = this.#head === '' && this.#pending === '' && !this.#isClosed;
    if (size === undefined || from < 0 || end + 2 > bytes.length || !isNext)
      return this.write(byteText(bytes, start, end));
    for (let digit = 0; digit < size.length; digit += 1) bytes[from + digit] = size.charCodeAt(digit);
    bytes[start - 2] = CR;
    bytes[start - 1] = LF;
    bytes[end] = CR;
    bytes[end + 1] = LF;
    if (!this.#writer.writePart(bytes, from, end + 2)) this.#onFull();
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
    const { length } = pending;
    const chunk = length === 0 ? '' : `${sizes[length] ?? length.toString(16)}\r\n${pending}\r\n`;
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
