// A request and its answer as the fast way carries them: plain objects, no framework and no web streams between the
// caller's socket and the relay. A `Request` of the platform fits the same shape, so handlers need not know which it is.
import type { ByteText } from '#server/egress/byte-text.ts';

export interface PlainRequest {
  readonly method: string;
  /** Path and query, or the whole address. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** `aborted`: the caller hung up. */
  readonly signal: { readonly aborted: boolean };
  /** The whole body. Answers at once when it has arrived. */
  text(): string | Promise<string>;
  bytes(): Uint8Array | Promise<Uint8Array>;
}

/** Where a streamed body is written to. What is written waits for `flush`. */
export interface StreamSink {
  write(bytes: ByteText): void;
  /** May leave at once, framed in `bytes` themselves: around the part from `start` to `end` they are written over. */
  writeInPlace(bytes: Buffer, start: number, end: number): void;
  flush(): void;
  close(): void;
}

export interface StreamedBody {
  /** The head of the answer has left: what is written from now on goes to the caller. */
  attach(sink: StreamSink): void;
  /** The caller reads slower than is written. */
  full(): void;
  drained(): void;
  /** The caller hung up. */
  left(): void;
}

export interface PlainAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | StreamedBody | null;
  /** The text is one of bytes: it leaves as it is. */
  isEncoded?: boolean;
}

export function isStreamed(body: PlainAnswer['body']): body is StreamedBody {
  return body !== null && typeof body === 'object' && 'attach' in body;
}

/** `address`: the other end of the connection. */
export type FastHandler = (request: PlainRequest, address: string) => PlainAnswer | Promise<PlainAnswer>;
