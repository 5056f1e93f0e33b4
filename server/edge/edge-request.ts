// A request on the fast way: its head is known, its body is there or still coming.
import { isAscii, type ByteText } from '#server/egress/byte-text.ts';
import type { PlainRequest } from './exchange.ts';
import { RequestFormatError, type RequestHead } from './request-head.ts';

export const noBytes = Buffer.alloc(0);

export class EdgeRequest implements PlainRequest {
  readonly headers: RequestHead;
  /** The caller hung up. */
  aborted = false;
  #first: Buffer = noBytes;
  #firstStart = 0;
  #firstEnd = 0;
  #more: Buffer[] = [];
  #length = 0;
  #isWhole = false;
  #failure: Error | undefined;
  #waiting: { resolve: () => void; reject: (error: Error) => void } | undefined;
  readonly #limitBytes: number;
  /** The bytes the head came in, and their beginning as text. */
  readonly #headBytes: Buffer;
  readonly #seen: ByteText;

  constructor(head: RequestHead, limitBytes: number, headBytes: Buffer, seen: ByteText) {
    this.headers = head;
    this.#headBytes = headBytes;
    this.#seen = seen;
    this.#limitBytes = limitBytes;
  }

  get method(): string {
    return this.headers.method;
  }

  get url(): string {
    return this.headers.target;
  }

  get signal(): this {
    return this;
  }

  text(): string | Promise<string> {
    return this.#isWhole ? this.#text() : this.#arrived().then(() => this.#text());
  }

  bytes(): Uint8Array | Promise<Uint8Array> {
    return this.#isWhole ? this.#bytes() : this.#arrived().then(() => this.#bytes());
  }

  /** As the platform reads it: a byte order mark is dropped, broken characters become U+FFFD. */
  #text(): string {
    if (this.#isSeen) {
      const seen = this.#seen.slice(this.#firstStart, this.#firstEnd);
      if (isAscii(seen)) return seen;
    }
    const text =
      this.#more.length === 0
        ? this.#first.toString('utf8', this.#firstStart, this.#firstEnd)
        : this.#bytes().toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  /** The whole body came with the head, and both have been made a text already. */
  get #isSeen(): boolean {
    return this.#more.length === 0 && this.#first === this.#headBytes && this.#firstEnd <= this.#seen.length;
  }

  #bytes(): Buffer {
    const first = this.#first.subarray(this.#firstStart, this.#firstEnd);
    return this.#more.length === 0 ? first : Buffer.concat([first, ...this.#more], this.#length);
  }

  #arrived(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Bytes of the body; they belong to this request. */
  data(bytes: Buffer, start: number, end: number): void {
    if (this.#failure !== undefined) return;
    const isFirst = this.#length === 0;
    this.#length += end - start;
    if (this.#length > this.#limitBytes) this.fail(new RequestFormatError(413, 'the body is too large'));
    else if (isFirst) {
      this.#first = bytes;
      this.#firstStart = start;
      this.#firstEnd = end;
    } else this.#more.push(bytes.subarray(start, end));
  }

  end(): void {
    this.#isWhole = true;
    this.#waiting?.resolve();
  }

  fail(error: Error): void {
    if (this.#isWhole || this.#failure !== undefined) return;
    this.#failure = error;
    this.#first = noBytes;
    this.#more = [];
    this.#waiting?.reject(error);
  }
}
