// The head of a request, read strictly: what two programs could read differently is refused. Headers stay one text and are
// looked up when somebody asks.

import { lineStart } from '#server/egress/line-start.ts';

export class RequestFormatError extends Error {
  override name = 'RequestFormatError';
  readonly status: 400 | 413 | 431 | 505;
  constructor(status: RequestFormatError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export const headLimitBytes = 64 * 1024;

/** Method, target, version; then lines of a name and a value, no folding, no bare line ends, no zero bytes. */
const headShape =
  /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.([01])\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;

export class RequestHead {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly isHttp11: boolean;
  /** Bytes of the body; -1 when it comes in chunks. */
  readonly contentLength: number;
  readonly #text: string;
  readonly #lower: string;

  /** `text`: the head with the line end of its last header, as latin1. */
  constructor(text: string) {
    const shape = headShape.exec(text);
    if (shape === null) throw new RequestFormatError(400, 'malformed request');
    this.method = shape[1] as string;
    this.target = shape[2] as string;
    this.isHttp11 = shape[3] === '1';
    this.#text = text;
    this.#lower = text.toLowerCase();
    if (this.isHttp11 && this.#count('host') !== 1)
      throw new RequestFormatError(400, 'one Host header is required');
    this.contentLength = this.#framing();
  }

  get text(): string {
    return this.#text;
  }

  /** The first header of this (lower-case) name. */
  get(name: string): string | null {
    const at = this.#lower.indexOf(lineStart(name));
    if (at < 0) return null;
    const start = at + name.length + 3;
    return this.#text.slice(start, this.#text.indexOf('\r\n', start)).trim();
  }

  get isKeptAlive(): boolean {
    const connection = this.get('connection');
    if (connection === null) return this.isHttp11;
    const wishes = connection.toLowerCase();
    return this.isHttp11 ? !wishes.includes('close') : wishes.includes('keep-alive');
  }

  get isUpgrade(): boolean {
    return this.#lower.includes('\r\nupgrade:');
  }

  #framing(): number {
    const encoding = this.get('transfer-encoding');
    const length = this.get('content-length');
    if (encoding !== null) {
      // Two framings, or an encoding the next program may not know, is how requests are smuggled.
      if (
        length !== null ||
        encoding.toLowerCase() !== 'chunked' ||
        this.#count('transfer-encoding') !== 1 ||
        !this.isHttp11
      )
        throw new RequestFormatError(400, 'unclear framing');
      return -1;
    }
    if (length === null) return 0;
    if (!/^\d{1,15}$/.test(length) || this.#count('content-length') !== 1)
      throw new RequestFormatError(400, 'bad content length');
    return Number(length);
  }

  #count(name: string): number {
    const wanted = lineStart(name);
    let count = 0;
    for (let at = this.#lower.indexOf(wanted); at >= 0; at = this.#lower.indexOf(wanted, at + 2)) count += 1;
    return count;
  }
}
