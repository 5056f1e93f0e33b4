// Reads one stream event in OpenAI's style: chat and completion chunks (no type) and the typed events of Responses, images,
// speech and transcription. Extracts what a charge needs: usage, content, errors, and whether the event ends the stream.
import type { CanonicalUsage } from './canonical.ts';
import { isObject, readOpenAiUsage } from './openai-usage.ts';

type Json = Record<string, unknown>;

export interface EventFacts {
  usage: CanonicalUsage | undefined;
  /** Contains only usage: removed for callers who did not request usage. */
  isUsageOnly: boolean;
  error: Json | undefined;
  /** The last event of a typed stream. */
  isClosing: boolean;
}

const CLOSING_TYPES = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'image_generation.completed',
  'image_edit.completed',
  'speech.audio.done',
  'transcript.text.done',
]);

export function readFacts(event: unknown): EventFacts {
  if (!isObject(event)) return { usage: undefined, isUsageOnly: false, error: undefined, isClosing: false };
  const { type } = event;
  if (typeof type === 'string' && type !== '') return typedFacts(event, type);
  const usage = readOpenAiUsage(event['usage']);
  const choices = event['choices'];
  const hasChoices = Array.isArray(choices) && choices.length > 0;
  const error = !hasChoices && isObject(event['error']) ? event['error'] : undefined;
  return { usage, isUsageOnly: usage !== undefined && !hasChoices, error, isClosing: false };
}

function typedFacts(event: Json, type: string): EventFacts {
  const response = isObject(event['response']) ? event['response'] : event;
  const usage = readOpenAiUsage(response['usage']);
  const isClosing = CLOSING_TYPES.has(type);
  if (type === 'error') {
    return { usage, isUsageOnly: false, error: isObject(event['error']) ? event['error'] : event, isClosing };
  }
  const failure = type === 'response.failed' && isObject(response['error']) ? response['error'] : undefined;
  return { usage, isUsageOnly: false, error: failure, isClosing };
}

/** Typed deltas with bytes instead of text. */
const BINARY_DELTA = /audio\.delta$|image/;

/** The text of an event, in any of the formats. */
export function contentOf(event: unknown): string[] {
  if (!isObject(event)) return [];
  const { type, delta } = event;
  if (typeof type === 'string' && type !== '') {
    return typeof delta === 'string' && type.endsWith('.delta') && !BINARY_DELTA.test(type) ? [delta] : [];
  }
  const texts: string[] = [];
  const choices = event['choices'];
  if (!Array.isArray(choices)) return texts;
  for (const choice of choices as unknown[]) {
    if (!isObject(choice)) continue;
    add(texts, choice['text']);
    const part = isObject(choice['delta']) ? choice['delta'] : choice['message'];
    if (!isObject(part)) continue;
    add(texts, part['content']);
    add(texts, part['reasoning_content'] ?? part['reasoning']);
    add(texts, part['refusal']);
    if (isObject(part['function_call'])) addCall(texts, part['function_call']);
    if (!Array.isArray(part['tool_calls'])) continue;
    for (const call of part['tool_calls'] as unknown[]) {
      if (isObject(call) && isObject(call['function'])) addCall(texts, call['function']);
    }
  }
  return texts;
}

function addCall(texts: string[], call: Json): void {
  add(texts, call['name']);
  add(texts, call['arguments']);
}

function add(texts: string[], text: unknown): void {
  if (typeof text === 'string' && text !== '') texts.push(text);
}
