// Takes the body of one request off the connection's bytes, by length or in chunks, and tells where it ends.
import {
  ChunkReader,
  type BodyContent,
  type ChunkProblem,
  type ChunkRules,
} from '#server/egress/chunk-reader.ts';
import { RequestFormatError } from './request-head.ts';

const statusOf = { malformed: 400, 'chunk too large': 413, 'trailers too large': 431 } as const;

const rules: ChunkRules = {
  // What is read here as the end of a body, a server before or behind this one must not read as its middle.
  isStrict: true,
  lineLimitBytes: 4096,
  trailerLimitBytes: 4096,
  error: (problem: ChunkProblem, message) => new RequestFormatError(statusOf[problem], message),
};

/** For a body that is carried on as it came, of which only the end matters. */
export const nowhere: BodyContent = { data() {} };

export class BodyReader {
  readonly #chunks: ChunkReader | undefined;
  #remaining: number;

  /** -1: in chunks. */
  constructor(contentLength: number) {
    this.#chunks = contentLength < 0 ? new ChunkReader(rules) : undefined;
    this.#remaining = Math.max(0, contentLength);
  }

  get isDone(): boolean {
    return this.#chunks === undefined ? this.#remaining === 0 : this.#chunks.isDone;
  }

  /** Hands the content in these bytes, from `start` on, over, and answers where this body ends in them. */
  push(bytes: Buffer, start: number, content: BodyContent): number {
    if (this.#chunks !== undefined) return this.#chunks.push(bytes, start, content);
    const end = Math.min(bytes.length, start + this.#remaining);
    if (end === start) return start;
    this.#remaining -= end - start;
    content.data(bytes, start, end);
    return end;
  }
}
