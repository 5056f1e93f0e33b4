// For tests of server/models/formats: streams as frames, conversations from one format to another.
import type { CanonicalEvent, CanonicalUsage, ConversionNote } from '#server/models/formats/canonical.ts';
import type { Codec, EncodeOptions, UpstreamCodec } from '#server/models/formats/codec.ts';
import { gather, type Gathered } from '#server/models/formats/gather.ts';
import { codecs } from '#server/models/formats/index.ts';
import type { Json } from '#server/models/formats/json.ts';
import { readEventText } from '#server/models/formats/sse.ts';

export function codecOf(format: string): Codec {
  const codec = codecs[format];
  if (codec === undefined) throw new Error(`no codec for ${format}`);
  return codec;
}

export const usageOf = (usage: Partial<CanonicalUsage>): CanonicalUsage => ({
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  imageInput: 0,
  audioInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  raw: undefined,
  ...usage,
});

export interface Frame {
  event: string;
  data: string;
}

export function framesOf(wire: string): Frame[] {
  return wire
    .split('\n\n')
    .filter((part) => part !== '')
    .map(readEventText);
}

/** The parsed frames without `[DONE]`. */
export const objectsOf = (wire: string): Json[] =>
  framesOf(wire)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as Json);

export function encodeAll(
  format: string,
  events: readonly CanonicalEvent[],
  options?: Partial<EncodeOptions>,
): string {
  const encoder = codecOf(format).encodeStream({ includeUsage: true, ...options });
  return events.map((event) => encoder.push(event)).join('') + encoder.end();
}

export function decodeAll(
  codec: UpstreamCodec,
  frames: readonly (string | Json | Frame)[],
): CanonicalEvent[] {
  const decoder = codec.decodeStream();
  const events = frames.flatMap((frame) => {
    if (typeof frame === 'string') return decoder.push('', frame);
    if (typeof frame['data'] === 'string' && typeof frame['event'] === 'string')
      return decoder.push(frame['event'], frame['data']);
    return decoder.push('', JSON.stringify(frame));
  });
  return [...events, ...decoder.end()];
}

export interface Converted {
  body: Json;
  notes: ConversionNote[];
  /** Short forms of the notes, such as `dropped seed`. */
  noted: string[];
}

export function convert(from: string, to: string, body: Json, change: Json = {}): Converted {
  const notes: ConversionNote[] = [];
  const request = codecOf(from).decodeRequest(body, notes);
  const encoded = codecOf(to).encodeRequest({ ...request, ...change }, notes) as Json;
  return { body: encoded, notes, noted: notes.map(({ what, field }) => `${what} ${field}`) };
}

/** The text of an answer, however it was split. */
export function meaningOf(events: readonly CanonicalEvent[]): Gathered {
  return gather(events);
}
