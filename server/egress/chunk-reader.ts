// Reads a body in chunks (RFC 9112, section 7.1) off the bytes of a connection, of requests and of answers alike. Whatever
// two programs could read as two different lengths is refused; an upstream may be careless where all of them agree.

/** Bytes of the body, from `start` to `end`. No view is made: it costs more than reading a small piece. */
export interface BodyContent {
  data(bytes: Buffer, start: number, end: number): void;
}

export type ChunkProblem = 'malformed' | 'chunk too large' | 'trailers too large';

export interface ChunkRules {
  /** A line ends with both characters, nothing but an extension follows a size, and no control character is in one. */
  readonly isStrict: boolean;
  readonly lineLimitBytes: number;
  readonly trailerLimitBytes: number;
  error(problem: ChunkProblem, message: string): Error;
}

const LF = 10;
const CR = 13;
const TAB = 9;
const SPACE = 32;
const SEMICOLON = 0x3b;
const DELETE = 0x7f;
const largestChunkBytes = 0xffff_ffff;

type State =
  | 'size'
  | 'padding'
  | 'extension'
  | 'size-end'
  | 'content'
  | 'content-end'
  | 'content-line-feed'
  | 'trailer'
  | 'trailer-end'
  | 'done';

export class ChunkReader {
  readonly #rules: ChunkRules;
  #state: State = 'size';
  /** Of the chunk, once its line is read; -1: no digit yet. */
  #size = -1;
  #remaining = 0;
  #lineBytes = 0;
  #trailerLineBytes = 0;

  constructor(rules: ChunkRules) {
    this.#rules = rules;
  }

  /** For the next body on the same connection. */
  restart(): void {
    this.#state = 'size';
    this.#size = -1;
    this.#remaining = 0;
    this.#lineBytes = 0;
    this.#trailerLineBytes = 0;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Hands the content in these bytes, from `start` on, over, and answers where this body ends in them. */
  push(bytes: Buffer, start: number, content: BodyContent): number {
    const end = bytes.length;
    let at = start;
    while (at < end) {
      switch (this.#state) {
        case 'content': {
          const take = Math.min(this.#remaining, end - at);
          this.#remaining -= take;
          content.data(bytes, at, at + take);
          at += take;
          if (this.#remaining > 0) return at;
          if (bytes[at] === CR && bytes[at + 1] === LF) {
            at += 2;
            this.#state = 'size';
          } else this.#state = 'content-end';
          break;
        }
        case 'size':
          at = this.#readSize(bytes, at);
          break;
        case 'content-end':
          this.#endContent(bytes[at++] as number);
          break;
        case 'content-line-feed':
          this.#expectLineFeed(bytes[at++] as number);
          this.#state = 'size';
          break;
        case 'size-end':
          this.#expectLineFeed(bytes[at++] as number);
          this.#endSize();
          break;
        case 'done':
          return at;
        case 'trailer':
        case 'trailer-end':
          at = this.#readTrailer(bytes, at);
          break;
        default:
          at = this.#readExtension(bytes, at);
      }
    }
    return at;
  }

  #readSize(bytes: Buffer, start: number): number {
    let size = this.#size;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      const digit = hexDigit(byte);
      if (digit >= 0) {
        size = size < 0 ? digit : size * 16 + digit;
        if (size > largestChunkBytes) throw this.#rules.error('chunk too large', 'chunk too large');
        continue;
      }
      if (size < 0) throw this.#malformed('chunk without a size');
      this.#size = size;
      this.#count(at - start);
      // Nearly always the whole line is here.
      if (byte === CR && bytes[at + 1] === LF) {
        this.#endSize();
        return at + 2;
      }
      this.#afterSize(byte);
      return at + 1;
    }
    this.#size = size;
    // Digits are counted too: a size may be endless zeros.
    this.#count(at - start);
    return at;
  }

  #afterSize(byte: number): void {
    if (byte === CR) this.#state = 'size-end';
    else if (byte === SEMICOLON) this.#state = 'extension';
    else if (byte === SPACE || byte === TAB) this.#state = 'padding';
    else if (byte === LF && !this.#rules.isStrict) this.#endSize();
    else throw this.#malformed(byte === LF ? 'bare line end' : 'bad chunk size');
  }

  /** Space before an extension, and the extension itself: nobody needs what it says. */
  #readExtension(bytes: Buffer, start: number): number {
    const { isStrict } = this.#rules;
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      this.#count(1);
      if (byte === CR || byte === LF) {
        if (isStrict && this.#state === 'padding') throw this.#malformed('bad chunk size');
        this.#afterSize(byte);
        return at + 1;
      }
      if (this.#state === 'padding') this.#afterSize(byte);
      else if (isStrict && ((byte < SPACE && byte !== TAB) || byte === DELETE))
        throw this.#malformed('bad chunk extension');
    }
    return bytes.length;
  }

  #endSize(): void {
    this.#remaining = this.#size;
    this.#state = this.#size === 0 ? 'trailer' : 'content';
    this.#size = -1;
    this.#lineBytes = 0;
  }

  #endContent(byte: number): void {
    if (byte === CR) this.#state = 'content-line-feed';
    else if (byte === LF && !this.#rules.isStrict) this.#state = 'size';
    else throw this.#malformed(byte === LF ? 'bare line end' : 'chunk longer than announced');
  }

  /** Trailers are dropped; an empty line ends the body. */
  #readTrailer(bytes: Buffer, start: number): number {
    const { isStrict, trailerLimitBytes } = this.#rules;
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      this.#lineBytes += 1;
      if (this.#lineBytes > trailerLimitBytes)
        throw this.#rules.error('trailers too large', 'trailers too large');
      if (this.#state === 'trailer-end') this.#expectLineFeed(byte);
      else if (byte === LF && isStrict) throw this.#malformed('bare line end');
      if (byte === CR) this.#state = 'trailer-end';
      else if (byte !== LF) this.#trailerLineBytes += 1;
      else {
        this.#state = this.#trailerLineBytes === 0 ? 'done' : 'trailer';
        this.#trailerLineBytes = 0;
        if (this.#state === 'done') return at + 1;
      }
    }
    return bytes.length;
  }

  #count(bytes: number): void {
    this.#lineBytes += bytes;
    if (this.#lineBytes > this.#rules.lineLimitBytes) throw this.#malformed('chunk line too long');
  }

  #expectLineFeed(byte: number): void {
    if (byte !== LF) throw this.#malformed('bare line end');
  }

  #malformed(message: string): Error {
    return this.#rules.error('malformed', message);
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
