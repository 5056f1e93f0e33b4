// Reads one HTTP/1.1 response at a time from the bytes of a connection. Strict where laxness is exploited: one framing
// only, no folded headers, bounded head and chunk lines. Bodies are handed on as they were received.

import { byteText, type ByteText } from './byte-text.ts';
import { ChunkReader, type BodyContent, type ChunkRules } from './chunk-reader.ts';
import { HeaderTable } from './header-table.ts';

export class ResponseFormatError extends Error {
  override name = 'ResponseFormatError';
}

export interface ResponseHead {
  readonly status: number;
  header(name: string): string | undefined;
  /** Every header in order, for logs and tests; the relay asks by name. */
  entries(): [string, string][];
}

export interface ParserEvents extends BodyContent {
  head(head: ResponseHead): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
  /**
   * In place of the three, when head and body came in one piece: the body is `bytes` from `start` on, and `text` is the
   * beginning of `bytes`, as far as it was looked at.
   */
  allAtOnce?(head: ResponseHead, bytes: Buffer, start: number, text: ByteText, reusable: boolean): void;
}

const headLimitBytes = 64 * 1024;

const chunkRules: ChunkRules = {
  // Upstreams end lines with a line feed alone, or pad a size with spaces.
  isStrict: false,
  lineLimitBytes: 256,
  trailerLimitBytes: headLimitBytes,
  error: (_problem, message) => new ResponseFormatError(message),
};

type State = 'head' | 'length' | 'close' | 'chunks' | 'done';

export class ResponseParser {
  #state: State = 'head';
  #held: Buffer | undefined;
  /** Bytes still to come of a body with a length. */
  #remaining = 0;
  readonly #chunks = new ChunkReader(chunkRules);
  #keepAlive = true;
  #events: ParserEvents;
  #isHead: boolean;

  constructor(events: ParserEvents, method: string) {
    this.#events = events;
    this.#isHead = method === 'HEAD';
  }

  /** For the next response on the same connection. */
  restart(events: ParserEvents, method: string): void {
    this.#events = events;
    this.#isHead = method === 'HEAD';
    this.#state = 'head';
    this.#held = undefined;
    this.#remaining = 0;
    this.#keepAlive = true;
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
    const text = byteText(all, 0, Math.min(all.length, headLimitBytes + 4));
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) {
      if (all.length > headLimitBytes) throw new ResponseFormatError('response head too large');
      this.#held = all;
      return undefined;
    }
    if (end > headLimitBytes) throw new ResponseFormatError('response head too large');
    this.#held = undefined;
    const head = new Head(text, end + 2);
    // 100 Continue and 103 Early Hints come before the real answer.
    if (head.status < 200) {
      if (head.status === 101) throw new ResponseFormatError('unexpected protocol switch');
      return end + 4 === all.length ? undefined : all.subarray(end + 4);
    }
    this.#frame(head);
    const isWhole = this.#state === ('length' as State) && this.#remaining === all.length - end - 4;
    if (isWhole && this.#events.allAtOnce !== undefined) {
      this.#state = 'done';
      this.#events.allAtOnce(head, all, end + 4, text, this.#keepAlive);
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
      this.#state = 'chunks';
      this.#chunks.restart();
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
    const end = bytes.length;
    switch (this.#state) {
      case 'chunks': {
        const at = this.#chunks.push(bytes, 0, this.#events);
        if (this.#chunks.isDone) this.#finish(this.#keepAlive && at === end);
        return;
      }
      case 'length': {
        const take = Math.min(this.#remaining, end);
        this.#remaining -= take;
        this.#events.data(bytes, 0, take);
        if (this.#remaining === 0) this.#finish(this.#keepAlive && take === end);
        return;
      }
      case 'close':
        this.#events.data(bytes, 0, end);
        return;
      default:
      // Bytes after the end: an answer nobody asked for. The owner of the connection drops it.
    }
  }

  #finish(reusable: boolean): void {
    this.#state = 'done';
    this.#events.end(reusable);
  }
}

/** Without a bare line end: programs differ about those. */
const startLine = /^HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n\0]*)?\r\n/;

class Head implements ResponseHead {
  readonly status: number;
  readonly isHttp11: boolean;
  readonly #headers: HeaderTable;

  /** `text` from its beginning to `end`: the head with the line end of its last header. */
  constructor(text: string, end: number) {
    if (!startLine.test(text)) throw new ResponseFormatError('not an HTTP response');
    this.isHttp11 = text.charCodeAt(7) === 0x31;
    this.status =
      (text.charCodeAt(9) - 48) * 100 + (text.charCodeAt(10) - 48) * 10 + (text.charCodeAt(11) - 48);
    const line = text.indexOf('\r\n') + 2;
    this.#headers = new HeaderTable(text, line, end, true);
    if (this.#headers.isMalformed) throw new ResponseFormatError('malformed header');
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  contentLength(): number | undefined {
    const text = this.#headers.get('content-length');
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw new ResponseFormatError('bad content length');
    if (this.#headers.count('content-length') > 1 && this.#headers.isAmbiguous('content-length'))
      throw new ResponseFormatError('two content lengths');
    return Number(text);
  }

  entries(): [string, string][] {
    return this.#headers.entries();
  }
}
