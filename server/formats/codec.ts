// A format is one codec: bytes of its dialect to canonical and back. Pure: no clock, no database, no network.
// The four public formats have both sides; a supplier with a language of its own has only the side towards it.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from './canonical.ts';

export interface StreamDecoder {
  /**
   * One whole frame: a server-sent event, a line, a message of a socket. `event` is its name, empty if it has none.
   * Throws `FormatError` when the frame is not JSON; any JSON gives events or none.
   */
  push(event: string, data: string): CanonicalEvent[];
  /** The stream ended; what the dialect leaves unsaid until then. */
  end(): CanonicalEvent[];
}

export interface StreamEncoder {
  /** Bytes to write for one event; empty when the dialect says nothing here. */
  push(event: CanonicalEvent): string;
  /** The closing bytes, such as `data: [DONE]`. */
  end(): string;
}

export interface EncodeOptions {
  /** The caller asked to see usage in the stream. */
  includeUsage: boolean;
  /** Prompt tokens as estimated here, for dialects that tell them before the upstream has. */
  estimatedInput?: number;
  /** The request being answered: Responses repeat parts of it, and tools get the names back that their caller gave them. */
  request?: CanonicalRequest;
  /** Our own id and time (seconds) for the answer, used where the upstream told none. */
  id?: string;
  created?: number;
  /** Where the losses of the answer are noted. */
  notes?: ConversionNote[];
}

/** An upstream's refusal, in no dialect. */
export interface CanonicalError {
  message: string;
  /** The supplier's own word for it, such as `rate_limit_error`; empty when it has none. */
  type: string;
  code: string;
}

/** What it takes to call an upstream. */
export interface UpstreamCodec {
  encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): unknown;
  decodeResponse(body: unknown): CanonicalEvent[];
  decodeStream(): StreamDecoder;
  /** The error inside a refusal's body; undefined when it is none of this dialect. */
  decodeError(body: unknown): CanonicalError | undefined;
}

/** What it takes to answer a caller. */
export interface CallerCodec {
  /** Throws `FormatError`, which names the offending field, and nothing else. */
  decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest;
  encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): unknown;
  encodeStream(options: EncodeOptions): StreamEncoder;
}

export interface Codec extends UpstreamCodec, CallerCodec {}
