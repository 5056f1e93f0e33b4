// The head of a request, read strictly: what two programs could read differently is refused.
import { byteText, type ByteText } from '#server/egress/byte-text.ts';
import { HeaderTable } from '#server/egress/header-table.ts';

export class RequestFormatError extends Error {
  override name = 'RequestFormatError';
  readonly status: 400 | 413 | 431 | 505;
  constructor(status: RequestFormatError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export const headLimitBytes = 64 * 1024;

const startLine = /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.([01])\r\n/;

export class RequestHead {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly path: string;
  readonly isHttp11: boolean;
  readonly isKeptAlive: boolean;
  readonly isUpgrade: boolean;
  /** Bytes of the body; -1 when it comes in chunks. */
  readonly contentLength: number;
  readonly #headers: HeaderTable;
  /** The head before and behind the length of the body; without a length all of it stands before. */
  readonly #before: string;
  readonly #behind: string | undefined;
  /** What was asked of a head that came more than once. */
  #answers: Map<string, string | null> | undefined;

  /** `text`, as latin1: the head with the line end of its last header. `like`: the same but for the length of the body. */
  constructor(text: string, like?: RequestHead, contentLength = 0) {
    if (like !== undefined) {
      this.method = like.method;
      this.target = like.target;
      this.path = like.path;
      this.isHttp11 = like.isHttp11;
      this.isKeptAlive = like.isKeptAlive;
      this.isUpgrade = like.isUpgrade;
      this.contentLength = contentLength;
      this.#headers = like.#headers;
      this.#before = like.#before;
      this.#behind = like.#behind;
      this.#answers = like.#answers;
      return;
    }
    const line = startLine.exec(text);
    if (line === null) throw new RequestFormatError(400, 'malformed request');
    this.method = line[1] as string;
    this.target = line[2] as string;
    this.isHttp11 = line[3] === '1';
    const query = this.target.indexOf('?');
    this.path = query < 0 ? this.target : this.target.slice(0, query);
    const headers = new HeaderTable(text, line[0].length, text.length, false);
    this.#headers = headers;
    if (headers.isMalformed) throw new RequestFormatError(400, 'malformed request');
    if (this.isHttp11 && headers.count('host') !== 1)
      throw new RequestFormatError(400, 'one Host header is required');
    const connection = headers.get('connection')?.toLowerCase();
    this.isKeptAlive = this.isHttp11
      ? connection?.includes('close') !== true
      : connection?.includes('keep-alive') === true;
    this.isUpgrade = headers.get('upgrade') !== undefined;
    this.contentLength = framing(headers, this.isHttp11);
    const length = headers.place('content-length');
    this.#before = length === undefined ? text : text.slice(0, length.start);
    this.#behind = length === undefined ? undefined : text.slice(length.end);
  }

  get text(): string {
    return this.#behind === undefined ? this.#before : this.#before + this.contentLength + this.#behind;
  }

  /** The first header of this (lower-case) name. */
  get(name: string): string | null {
    if (name === 'content-length') return this.#behind === undefined ? null : String(this.contentLength);
    const answers = this.#answers;
    if (answers === undefined) return this.#headers.get(name) ?? null;
    let answer = answers.get(name);
    if (answer === undefined) {
      answer = this.#headers.get(name) ?? null;
      answers.set(name, answer);
    }
    return answer;
  }

  /**
   * The head that `text` begins with up to `end`, if it is this one with another length: callers who keep their connection
   * send the same head again and again.
   */
  again(text: string, end: number): RequestHead | undefined {
    const before = this.#before;
    if (!text.startsWith(before)) return undefined;
    let at = before.length;
    let length = 0;
    if (this.#behind !== undefined) {
      for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) {
        length = length * 10 + code - 48;
        at += 1;
      }
      const digits = at - before.length;
      if (digits === 0 || digits > mostDigits || !text.startsWith(this.#behind, at)) return undefined;
      at += this.#behind.length;
    }
    if (at !== end) return undefined;
    this.#answers ??= new Map();
    return this.#behind === undefined || length === this.contentLength
      ? this
      : new RequestHead('', this, length);
  }
}

const mostDigits = 15;

function framing(headers: HeaderTable, isHttp11: boolean): number {
  const encoding = headers.get('transfer-encoding');
  const length = headers.get('content-length');
  if (encoding !== undefined) {
    // Two framings, or an encoding the next program may not know, is how requests are smuggled.
    if (
      length !== undefined ||
      encoding.toLowerCase() !== 'chunked' ||
      headers.count('transfer-encoding') !== 1 ||
      !isHttp11
    )
      throw new RequestFormatError(400, 'unclear framing');
    return -1;
  }
  if (length === undefined) return 0;
  if (!/^\d{1,15}$/.test(length) || headers.count('content-length') !== 1)
    throw new RequestFormatError(400, 'bad content length');
  return Number(length);
}

/** Longer heads are not worth the memory of an idle connection. */
const rememberedHeadBytes = 4096;

/** Reads the heads of one connection. */
export class HeadReader {
  #last: RequestHead | undefined;

  /** `text` holds the beginning of `bytes`; the head ends, with the line end of its last header, at `end`. */
  read(bytes: Buffer, text: ByteText, end: number): RequestHead {
    const known = this.#last?.again(text, end);
    if (known !== undefined) return (this.#last = known);
    // A text of its own, so that what is remembered does not keep the body that came with it.
    const head = new RequestHead(byteText(bytes, 0, end));
    this.#last = end <= rememberedHeadBytes ? head : undefined;
    return head;
  }
}
