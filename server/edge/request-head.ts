// The head of a request, read strictly: what two programs could read differently is refused.
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
  readonly isHttp11: boolean;
  /** Bytes of the body; -1 when it comes in chunks. */
  readonly contentLength: number;
  readonly #text: string;
  readonly #end: number;
  readonly #headers: HeaderTable;

  /** `text` from its beginning to `end`, as latin1: the head with the line end of its last header. */
  constructor(text: string, end = text.length) {
    const line = startLine.exec(text);
    const start = line?.[0].length ?? 0;
    if (line === null || start > end) throw new RequestFormatError(400, 'malformed request');
    this.method = line[1] as string;
    this.target = line[2] as string;
    this.isHttp11 = line[3] === '1';
    this.#text = text;
    this.#end = end;
    this.#headers = new HeaderTable(text, start, end, false);
    if (this.#headers.isMalformed) throw new RequestFormatError(400, 'malformed request');
    if (this.isHttp11 && this.#headers.count('host') !== 1)
      throw new RequestFormatError(400, 'one Host header is required');
    this.contentLength = this.#framing();
  }

  get text(): string {
    return this.#text.slice(0, this.#end);
  }

  get path(): string {
    const query = this.target.indexOf('?');
    return query < 0 ? this.target : this.target.slice(0, query);
  }

  /** The first header of this (lower-case) name. */
  get(name: string): string | null {
    return this.#headers.get(name) ?? null;
  }

  get isKeptAlive(): boolean {
    const connection = this.get('connection');
    if (connection === null) return this.isHttp11;
    const wishes = connection.toLowerCase();
    return this.isHttp11 ? !wishes.includes('close') : wishes.includes('keep-alive');
  }

  get isUpgrade(): boolean {
    return this.#headers.get('upgrade') !== undefined;
  }

  #framing(): number {
    const encoding = this.get('transfer-encoding');
    const length = this.get('content-length');
    if (encoding !== null) {
      // Two framings, or an encoding the next program may not know, is how requests are smuggled.
      if (
        length !== null ||
        encoding.toLowerCase() !== 'chunked' ||
        this.#headers.count('transfer-encoding') !== 1 ||
        !this.isHttp11
      )
        throw new RequestFormatError(400, 'unclear framing');
      return -1;
    }
    if (length === null) return 0;
    if (!/^\d{1,15}$/.test(length) || this.#headers.count('content-length') !== 1)
      throw new RequestFormatError(400, 'bad content length');
    return Number(length);
  }
}
