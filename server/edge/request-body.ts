// Takes the body of one request off the connection's bytes, by length or in chunks, and tells where it ends.
import { RequestFormatError } from './request-head.ts';

const LF = 10;
const CR = 13;
const lineLimitBytes = 4096;

type State = 'length' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'done';

export class BodyReader {
  #state: State;
  #remaining: number;
  #size = -1;
  #lineBytes = 0;
  #trailerLineBytes = 0;
  #inExtension = false;
  /** A carriage return has been read and its line feed must follow. */
  #atLineEnd = false;

  /** -1: in chunks. */
  constructor(contentLength: number) {
    this.#remaining = Math.max(0, contentLength);
    this.#state = contentLength < 0 ? 'size' : contentLength === 0 ? 'done' : 'length';
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /**
   * Hands the content in these bytes, from `start` on, to `content` and answers where this body ends in them. Positions
   * and no views: a view costs more than all the rest of a small body.
   */
  push(bytes: Buffer, start: number, content: (bytes: Buffer, start: number, end: number) => void): number {
    let at = start;
    while (at < bytes.length && this.#state !== 'done') {
      switch (this.#state) {
        case 'length':
        case 'chunk': {
          const take = Math.min(this.#remaining, bytes.length - at);
          this.#remaining -= take;
          content(bytes, at, at + take);
          at += take;
          if (this.#remaining === 0) this.#state = this.#state === 'length' ? 'done' : 'chunk-end';
          break;
        }
        case 'size':
          at = this.#readSize(bytes, at);
          break;
        case 'chunk-end':
          at = this.#readChunkEnd(bytes, at);
          break;
        default:
          at = this.#readTrailer(bytes, at);
      }
    }
    return at;
  }

  #readSize(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      this.#lineBytes += 1;
      if (this.#lineBytes > lineLimitBytes) throw new RequestFormatError(400, 'chunk line too long');
      if (this.#endsLine(byte)) {
        if (this.#size < 0) throw new RequestFormatError(400, 'chunk without a size');
        this.#remaining = this.#size;
        this.#state = this.#size === 0 ? 'trailer' : 'chunk';
        this.#size = -1;
        this.#lineBytes = 0;
        this.#inExtension = false;
        return at + 1;
      }
      if (this.#inExtension || this.#atLineEnd) continue;
      if (byte === 0x3b || byte === 0x20 || byte === 0x09) {
        this.#inExtension = true;
        continue;
      }
      const digit = hexDigit(byte);
      if (digit < 0) throw new RequestFormatError(400, 'bad chunk size');
      this.#size = (this.#size < 0 ? 0 : this.#size) * 16 + digit;
      if (this.#size > 0xffff_ffff) throw new RequestFormatError(413, 'chunk too large');
    }
    return bytes.length;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    if (this.#endsLine(byte)) this.#state = 'size';
    else if (byte !== CR) throw new RequestFormatError(400, 'chunk longer than announced');
    return at + 1;
  }

  /** Trailers are dropped; an empty line ends the request. */
  #readTrailer(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      this.#lineBytes += 1;
      if (this.#lineBytes > lineLimitBytes) throw new RequestFormatError(431, 'trailers too large');
      if (this.#endsLine(bytes[at] as number)) {
        if (this.#trailerLineBytes === 0) {
          this.#state = 'done';
          return at + 1;
        }
        this.#trailerLineBytes = 0;
      } else if (!this.#atLineEnd) this.#trailerLineBytes += 1;
    }
    return bytes.length;
  }

  /** A line ends with both characters: programs differ about either alone. */
  #endsLine(byte: number): boolean {
    if (this.#atLineEnd !== (byte === LF)) throw new RequestFormatError(400, 'bare line end');
    this.#atLineEnd = byte === CR;
    return byte === LF;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
