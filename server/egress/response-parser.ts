// Reads one HTTP/1.1 response at a time from the bytes of a connection. Strict where laxness is exploited: one framing
// only, no folded headers, bounded head and chunk lines. Bodies are handed on as views of the bytes received.

import { lineStart } from './line-start.ts';

export class ResponseFormatError extends Error {
  override name = 'ResponseFormatError';
}

export interface ResponseHead {
  readonly status: number;
  header(name: string): string | undefined;
  /** Every header in order, for logs and tests; the relay asks by name. */
  entries(): [string, string][];
}

export interface ParserEvents {
  head(head: ResponseHead): void;
  data(part: Uint8Array): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
  /**
   * In place of the three, when head and body came in one piece: the body is `bytes` from `start` on. No view is made,
   * because a view costs more than reading a small answer.
   */
  allAtOnce?(head: ResponseHead, bytes: Buffer, start: number, reusable: boolean): void;
}

const headLimitBytes = 64 * 1024;
const chunkLineLimitBytes = 256;
const LF = 10;
const CR = 13;

type State = 'head' | 'length' | 'close' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'done';

export class ResponseParser {
  #state: State = 'head';
  #held: Buffer | undefined;
  /** Bytes still to come of the body or of the current chunk. */
  #remaining = 0;
  #lineBytes = 0;
  #size = -1;
  #inExtension = false;
  #trailerLineBytes = 0;
  #keepAlive = true;
  readonly #events: ParserEvents;
  readonly #isHead: boolean;

  constructor(events: ParserEvents, method: string) {
    this.#events = events;
    this.#isHead = method === 'HEAD';
  }

  get started(): boolean {
    return this.#state !== 'head' || this.#held !== undefined;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Throws ResponseFormatError; the connection is then useless. */
  push(bytes: Buffer): void {
    let rest: Buffer | undefined = bytes;
    while (rest !== undefined && this.#state === 'head') rest = this.#readHead(rest);
    if (rest === undefined || rest.length === 0) return;
    this.#readBody(rest);
  }

  /** The other side closed. False: in the middle of something. */
  closed(): boolean {
    if (this.#state !== 'close') return this.#state === 'done';
    this.#finish(false);
    return true;
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const all = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) {
      if (all.length > headLimitBytes) throw new ResponseFormatError('response head too large');
      this.#held = all;
      return undefined;
    }
    if (end > headLimitBytes) throw new ResponseFormatError('response head too large');
    this.#held = undefined;
    const head = new Head(all.toString('latin1', 0, end + 2));
    // 100 Continue and 103 Early Hints come before the real answer.
    if (head.status < 200) {
      if (head.status === 101) throw new ResponseFormatError('unexpected protocol switch');
      return end + 4 === all.length ? undefined : all.subarray(end + 4);
    }
    this.#frame(head);
    const isWhole = this.#state === ('length' as State) && this.#remaining === all.length - end - 4;
    if (isWhole && this.#events.allAtOnce !== undefined) {
      this.#state = 'done';
      this.#events.allAtOnce(head, all, end + 4, this.#keepAlive);
      return undefined;
    }
    const rest = all.subarray(end + 4);
    this.#events.head(head);
    // #frame moved the state on, or ended a body of no length.
    if (this.#state === ('length' as State) && this.#remaining === 0) this.#finish(this.#keepAlive);
    return rest;
  }

  #frame(head: Head): void {
    this.#keepAlive = head.isHttp11 && !(head.header('connection') ?? '').toLowerCase().includes('close');
    const encoding = head.header('transfer-encoding');
    const length = head.contentLength();
    if (this.#isHead || head.status === 204 || head.status === 304) {
      this.#state = 'length';
      return;
    }
    if (encoding !== undefined) {
      if (encoding.trim().toLowerCase() !== 'chunked')
        throw new ResponseFormatError('unknown transfer encoding');
      // Both framings at once is how responses are smuggled: chunked counts, the connection is not used again.
      if (length !== undefined) this.#keepAlive = false;
      this.#state = 'size';
      return;
    }
    if (length === undefined) {
      this.#state = 'close';
      return;
    }
    this.#state = 'length';
    this.#remaining = length;
  }

  #readBody(bytes: Buffer): void {
    let at = 0;
    const end = bytes.length;
    while (at < end) {
      switch (this.#state) {
        case 'chunk':
        case 'length': {
          const take = Math.min(this.#remaining, end - at);
          this.#remaining -= take;
          this.#events.data(at === 0 && take === end ? bytes : bytes.subarray(at, at + take));
          at += take;
          if (this.#remaining > 0) return;
          if (this.#state === 'chunk') this.#state = 'chunk-end';
          else this.#finish(this.#keepAlive && at === end);
          break;
        }
        case 'close':
          this.#events.data(at === 0 ? bytes : bytes.subarray(at));
          return;
        case 'size':
          at = this.#readSize(bytes, at);
          break;
        case 'chunk-end': {
          const byte = bytes[at++];
          if (byte === LF) this.#state = 'size';
          else if (byte !== CR) throw new ResponseFormatError('chunk longer than announced');
          break;
        }
        case 'trailer':
          at = this.#readTrailer(bytes, at);
          break;
        default:
          // Bytes after the end: an answer nobody asked for. The owner of the connection drops it.
          return;
      }
    }
  }

  #readSize(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      this.#lineBytes += 1;
      if (this.#lineBytes > chunkLineLimitBytes) throw new ResponseFormatError('chunk line too long');
      if (byte === LF) {
        if (this.#size < 0) throw new ResponseFormatError('chunk without a size');
        this.#remaining = this.#size;
        this.#state = this.#size === 0 ? 'trailer' : 'chunk';
        this.#size = -1;
        this.#lineBytes = 0;
        this.#inExtension = false;
        this.#trailerLineBytes = 0;
        return at + 1;
      }
      if (this.#inExtension || byte === CR) continue;
      if (byte === 0x3b || byte === 0x20 || byte === 0x09) {
        this.#inExtension = true;
        continue;
      }
      const digit = hexDigit(byte);
      if (digit < 0) throw new ResponseFormatError('bad chunk size');
      this.#size = (this.#size < 0 ? 0 : this.#size) * 16 + digit;
      if (this.#size > 0xffff_ffff) throw new ResponseFormatError('chunk too large');
    }
    return bytes.length;
  }

  /** Trailers are dropped; an empty line ends the message. */
  #readTrailer(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at];
      this.#lineBytes += 1;
      if (this.#lineBytes > headLimitBytes) throw new ResponseFormatError('trailers too large');
      if (byte === LF) {
        if (this.#trailerLineBytes === 0) {
          this.#lineBytes = 0;
          this.#finish(this.#keepAlive && at + 1 === bytes.length);
          return at + 1;
        }
        this.#trailerLineBytes = 0;
      } else if (byte !== CR) this.#trailerLineBytes += 1;
    }
    return bytes.length;
  }

  #finish(reusable: boolean): void {
    this.#state = 'done';
    this.#events.end(reusable);
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const lengthName = '\r\ncontent-length:';

/** The head as one text; headers are looked up when somebody asks. */
class Head implements ResponseHead {
  readonly status: number;
  readonly isHttp11: boolean;
  readonly #text: string;
  readonly #lower: string;

  constructor(text: string) {
    this.#text = text;
    if (!/^HTTP\/1\.[01] [1-5]\d\d[ \r]/.test(text)) throw new ResponseFormatError('not an HTTP response');
    // A folded header or a bare line feed is read differently by different programs.
    if (/\r\n[ \t]|[^\r]\n|\r[^\n]|\0/.test(text)) throw new ResponseFormatError('malformed header');
    this.isHttp11 = text.charCodeAt(7) === 0x31;
    this.status = Number(text.slice(9, 12));
    this.#lower = text.toLowerCase();
  }

  header(name: string): string | undefined {
    const at = this.#lower.indexOf(lineStart(name));
    if (at < 0) return undefined;
    const start = at + name.length + 3;
    return this.#text.slice(start, this.#text.indexOf('\r\n', start)).trim();
  }

  contentLength(): number | undefined {
    const text = this.header('content-length');
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new ResponseFormatError('bad content length');
    const first = this.#lower.indexOf(lengthName);
    for (
      let at = this.#lower.indexOf(lengthName, first + 1);
      at >= 0;
      at = this.#lower.indexOf(lengthName, at + 1)
    ) {
      const other = this.#text.slice(at + lengthName.length, this.#text.indexOf('\r\n', at + 2)).trim();
      if (other !== text) throw new ResponseFormatError('two content lengths');
    }
    return Number(text);
  }

  entries(): [string, string][] {
    return this.#text
      .split('\r\n')
      .slice(1)
      .filter((line) => line.includes(':'))
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
  }
}
