// A format is one codec: bytes of its dialect to canonical and back. Pure: no clock, no database, no network.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from './canonical.ts';

export interface StreamDecoder {
  /** One whole server-sent event. */
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
}

export interface Codec {
  decodeRequest(body: unknown, notes: ConversionNote[]): CanonicalRequest;
  encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): unknown;
  decodeResponse(body: unknown): CanonicalEvent[];
  encodeResponse(events: readonly CanonicalEvent[]): unknown;
  decodeStream(): StreamDecoder;
  encodeStream(options: EncodeOptions): StreamEncoder;
}
