// Output items of OpenAI's Responses API as canonical events.
import type { CanonicalEvent, CanonicalLogprob } from '#server/models/formats/canonical.ts';
import { number, objects, text, type Json } from '#server/models/formats/json.ts';

/** Probabilities, when there are any. */
export function logprobsOf(given: unknown): CanonicalLogprob[] | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined;
  return objects(given).map((entry) => {
    const top = objects(entry['top_logprobs']).map(logprobOf);
    return { ...logprobOf(entry), ...(top.length === 0 ? {} : { top }) };
  });
}

const logprobOf = (entry: Json): { token: string; logprob: number; bytes?: number[] } => ({
  token: text(entry['token']),
  logprob: number(entry['logprob']) ?? 0,
  ...(Array.isArray(entry['bytes']) ? { bytes: (entry['bytes'] as unknown[]).map(Number) } : {}),
});

export function citationEvent(raw: Json): CanonicalEvent[] {
  const url = text(raw['url']);
  const title = text(raw['title']) || text(raw['filename']);
  const start = number(raw['start_index']);
  const end = number(raw['end_index']);
  const citation = {
    ...(url === '' ? {} : { url }),
    ...(title === '' ? {} : { title }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    origin: 'openai' as const,
    raw,
  };
  return [{ type: 'citation', choice: 0, citation }];
}

/** `index` is the item's number if it is a call. */
export function itemEvents(item: Json, index: number): CanonicalEvent[] {
  switch (item['type']) {
    case 'message':
      return objects(item['content']).flatMap(contentEvents);
    case 'function_call':
    case 'custom_tool_call': {
      const isCustom = item['type'] === 'custom_tool_call';
      return [
        {
          type: 'tool-call-delta',
          choice: 0,
          index,
          id: text(item['call_id']),
          name: text(item['name']),
          arguments: isCustom ? text(item['input']) : text(item['arguments']) || '{}',
          ...(isCustom ? { isCustom } : {}),
        },
      ];
    }
    case 'reasoning': {
      const pieces =
        objects(item['content']).length > 0 ? objects(item['content']) : objects(item['summary']);
      const thought = pieces.map((piece) => text(piece['text'])).join('\n\n');
      const events: CanonicalEvent[] =
        thought === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: thought }];
      return [...events, ...reasoningSignature(item, thought !== '')];
    }
    case 'image_generation_call': {
      const data = text(item['result']);
      const format = text(item['output_format']) || 'png';
      return data === '' ? [] : [{ type: 'image', choice: 0, mediaType: `image/${format}`, data }];
    }
    default:
      return [{ type: 'provider-item', choice: 0, origin: 'openai', item }];
  }
}

function contentEvents(part: Json): CanonicalEvent[] {
  if (part['type'] === 'refusal') return [{ type: 'refusal-delta', choice: 0, text: text(part['refusal']) }];
  const content = text(part['text']);
  const logprobs = logprobsOf(part['logprobs']);
  const events: CanonicalEvent[] =
    content === ''
      ? []
      : [{ type: 'text-delta', choice: 0, text: content, ...(logprobs === undefined ? {} : { logprobs }) }];
  return [...events, ...objects(part['annotations']).flatMap(citationEvent)];
}

/** Encrypted reasoning, with or without a summary. */
export function reasoningSignature(item: Json, hasText: boolean): CanonicalEvent[] {
  const encrypted = text(item['encrypted_content']);
  if (encrypted === '') return [];
  const id = text(item['id']) === '' ? {} : { id: text(item['id']) };
  return hasText
    ? [{ type: 'reasoning-signature', choice: 0, signature: encrypted, origin: 'openai', ...id }]
    : [{ type: 'reasoning-redacted', choice: 0, data: encrypted, origin: 'openai', ...id }];
}
