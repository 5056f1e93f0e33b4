// A format is one codec: its JSON to the canonical form and back. Pure: no clock, no database, no network. The four public
// formats have both sides; an upstream with its own protocol has the upstream side only.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from './canonical.ts';

export interface StreamDecoder {
  /**
   * One whole frame: a server-sent event, a line, a WebSocket message. `event` is its name or empty. Throws `FormatError` when
   * the frame is not JSON; any JSON gives events or none.
   */
  push(event: string, data: string): CanonicalEvent[];
  /** The stream ended: events that the format leaves open until then. */
  end(): CanonicalEvent[];
}

export interface StreamEncoder {
  /** The bytes of one event; empty when the format has none for it. */
  push(event: CanonicalEvent): string;
  /** The closing bytes, such as `data: [DONE]`. */
  end(): string;
}

export interface EncodeOptions {
  /** The caller requested usage in the stream. */
  includeUsage: boolean;
  /** Our estimate of the prompt tokens, for formats that report them before the upstream does. */
  estimatedInput?: number;
  /** The request being answered: Responses repeat parts of it, and tools get their original names back. */
  request?: CanonicalRequest;
  /** Our id and time (seconds), used when the upstream sent none. */
  id?: string;
  created?: number;
}

/** An upstream's error, independent of its format. */
export interface CanonicalError {
  message: string;
  /** The upstream's error type, such as `rate_limit_error`, or empty. */
  type: string;
  code: string;
}

/** The upstream side. */
export interface UpstreamCodec {
  encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): unknown;
  /** `unread` gets the paths of members that the codec does not know and that say something (unread-members.ts). */
  decodeResponse(body: unknown, unread?: Set<string>): CanonicalEvent[];
  decodeStream(unread?: Set<string>): StreamDecoder;
  /** The error in a response body; undefined when it is not an error of this format. */
  decodeError(body: unknown): CanonicalError | undefined;
}

/** The caller side. */
export interface CallerCodec {
  /** Throws only `FormatError`, which names the invalid field. */
  decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest;
  encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): unknown;
  encodeStream(options: EncodeOptions): StreamEncoder;
}

export interface Codec extends UpstreamCodec, CallerCodec {}
