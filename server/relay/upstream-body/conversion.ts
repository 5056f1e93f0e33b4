// One call between two formats: both codecs, the canonical request, and how events are adapted for the caller.
import { unixSeconds } from '#contract/time.ts';
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { CallerCodec, EncodeOptions, UpstreamCodec } from '#server/models/formats/codec.ts';
import { member } from '#server/models/formats/json.ts';
import type { Format, Framing } from '#server/models/providers/provider.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
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
  /** What the caller's format has no place for, added while the answer is written. */
  readonly answerNotes: ConversionNote[];
  /** Reshapes a whole answer, for endpoints whose answers differ from the format's. */
  shape?(answer: Record<string, unknown>): Record<string, unknown>;
  /** The frame that ends the stream even if the upstream keeps the connection open. */
  isClosing(event: string, data: string): boolean;
  /** Adapts the events of one stream: our ids and model names, reasoning as text if the channel is set so. */
  reshaper(): (event: CanonicalEvent) => readonly CanonicalEvent[];
}

/** The events that end a stream, by their type. */
const CLOSING_TYPES: Partial<Record<Format, ReadonlySet<unknown>>> = {
  'openai-responses': new Set([
    'response.completed',
    'response.incomplete',
    'response.failed',
    'response.cancelled',
  ]),
  'anthropic-messages': new Set(['message_stop']),
};
/** Few other events have such a word, so few are parsed a second time. */
const CLOSING_WORD = /"(?:message_stop|response\.(?:completed|incomplete|failed|cancelled))"/;

export function closingOf(format: Format): Conversion['isClosing'] {
  const closing = CLOSING_TYPES[format];
  if (closing === undefined) return (_event, data) => data === '[DONE]';
  // Some upstreams name an event only inside, and keep the connection open.
  return (event, data) => closing.has(event) || (CLOSING_WORD.test(data) && closing.has(typeIn(data)));
}

function typeIn(data: string): unknown {
  try {
    return member(JSON.parse(data))['type'];
  } catch {
    return undefined;
  }
}

const ID_PREFIXES: Partial<Record<Format, string>> = {
  'openai-chat': 'chatcmpl-',
  'openai-responses': 'resp_',
  'anthropic-messages': 'msg_',
};

/** An answer id in the style of the caller's format. */
export function answerId(format: Format, requestId: string): string {
  return `${ID_PREFIXES[format] ?? ''}${requestId.replaceAll('-', '')}`;
}

/** `model`: the caller's name for it. */
export function reshaperOf(
  id: string,
  model: string,
  showsThoughtsAsText: boolean,
): () => (event: CanonicalEvent) => readonly CanonicalEvent[] {
  return () => {
    const named = (event: CanonicalEvent): readonly CanonicalEvent[] =>
      event.type === 'start' ? [{ ...event, id, model, created: event.created || unixSeconds() }] : [event];
    if (!showsThoughtsAsText) return named;
    const asText = thoughtsAsText();
    return (event) => named(event).flatMap(asText);
  };
}

/** Moves reasoning into the text, between `<think>` tags. */
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

/** Content tokens of one event: at least one per delta. */
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

/** In strict mode a call is refused if its conversion loses something. */
export function refuseLosses(notes: readonly ConversionNote[]): void {
  const losses = notes.filter(({ what }) => what !== 'renamed');
  if (losses.length === 0) return;
  const detail = losses.map(({ field, what, detail: why }) => `${field} (${what}: ${why})`).join('; ');
  throw new RelayError(
    'lossy_conversion',
    { detail: detail.slice(0, 1000) },
    { param: losses[0]?.field ?? '' },
  );
}

const MOST_NOTES = 50;

/** The conversion receipt for the log row and the header, as JSON. The caller chooses names of fields: their number and length are bounded. */
export function receiptText(from: string, to: string, notes: readonly ConversionNote[]): string {
  const kept = notes
    .slice(0, MOST_NOTES)
    .map(({ field, what, detail }) => ({ field: field.slice(0, 100), what, detail: detail.slice(0, 300) }));
  return JSON.stringify({ from, to, notes: kept });
}
