// One call between two formats: the codecs of both sides, the request in the common language, and how the answer is told.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import type { CallerCodec, EncodeOptions, UpstreamCodec } from '#server/formats/codec.ts';
import type { Format, Framing } from '#server/providers/provider.ts';
import { estimateTokens } from '#server/relay/request/estimate.ts';

export interface Conversion {
  readonly from: Format;
  readonly to: Format;
  readonly upstream: UpstreamCodec;
  readonly caller: CallerCodec;
  readonly request: CanonicalRequest;
  readonly framing: Framing;
  readonly options: EncodeOptions;
  readonly notes: readonly ConversionNote[];
  /** A whole answer in a shape of its own. */
  shape?(answer: Record<string, unknown>): Record<string, unknown>;
  /** The frame after which nothing more comes, though the connection may stay open. */
  isClosing(event: string, data: string): boolean;
  /** Fits events of one stream to the caller: our ids and names, thoughts as text where the channel says so. */
  reshaper(): (event: CanonicalEvent) => readonly CanonicalEvent[];
}

const closingResponse = /^response\.(?:completed|incomplete|failed|cancelled)$/;

export function closingOf(format: Format): Conversion['isClosing'] {
  switch (format) {
    case 'openai-responses':
      return (event) => closingResponse.test(event);
    case 'anthropic-messages':
      return (event, data) => event === 'message_stop' || data === '{"type":"message_stop"}';
    default:
      return (_event, data) => data === '[DONE]';
  }
}

const idPrefixes: Partial<Record<Format, string>> = {
  'openai-chat': 'chatcmpl-',
  'openai-responses': 'resp_',
  'anthropic-messages': 'msg_',
};

/** An answer's id in the manner of the caller's format. */
export function answerId(format: Format, requestId: string): string {
  return `${idPrefixes[format] ?? ''}${requestId.replaceAll('-', '')}`;
}

/** `model`: what the caller calls it. */
export function reshaperOf(
  id: string,
  model: string,
  showsThoughtsAsText: boolean,
): () => (event: CanonicalEvent) => readonly CanonicalEvent[] {
  return () => {
    const named = (event: CanonicalEvent): readonly CanonicalEvent[] =>
      event.type === 'start'
        ? [{ ...event, id, model, created: event.created || Math.floor(Date.now() / 1000) }]
        : [event];
    if (!showsThoughtsAsText) return named;
    const asText = thoughtsAsText();
    return (event) => named(event).flatMap(asText);
  };
}

/** Thoughts in front of the text, between the marks that readers of such streams look for. */
function thoughtsAsText(): (event: CanonicalEvent) => readonly CanonicalEvent[] {
  const thinking = new Set<number>();
  return (event) => {
    if (!('choice' in event)) return [event];
    const { choice } = event;
    if (event.type === 'reasoning-signature' || event.type === 'reasoning-redacted') return [];
    if (event.type === 'reasoning-delta') {
      const begins = !thinking.has(choice);
      thinking.add(choice);
      return [{ type: 'text-delta', choice, text: begins ? `<think>\n${event.text}` : event.text }];
    }
    if (!thinking.delete(choice)) return [event];
    return [{ type: 'text-delta', choice, text: '\n</think>\n\n' }, event];
  };
}

/** Tokens of content one event brings the caller: at least one for each piece. */
export function tokensOfEvent(event: CanonicalEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
      return event.text === '' ? 0 : Math.max(1, estimateTokens(event.text));
    case 'tool-call-delta':
      return event.arguments === '' ? 0 : Math.max(1, estimateTokens(event.arguments));
    case 'audio-delta':
      return event.transcript === undefined || event.transcript === ''
        ? 0
        : Math.max(1, estimateTokens(event.transcript));
    default:
      return 0;
  }
}

/** What a caller in strict mode is refused for. */
export function lossesOf(notes: readonly ConversionNote[]): ConversionNote[] {
  return notes.filter(({ what }) => what !== 'renamed');
}
