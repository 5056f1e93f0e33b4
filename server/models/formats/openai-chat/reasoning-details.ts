// Signed reasoning in chat: `reasoning_details`, the list that chat clients send back unchanged.
import type { ReasoningPart, Origin } from '#server/models/formats/canonical.ts';
import type { ReasoningBlock } from '#server/models/formats/gather.ts';
import { objects, text, type Json } from '#server/models/formats/json.ts';

const FORMATS: Readonly<Record<Origin, string>> = {
  anthropic: 'anthropic-claude-v1',
  google: 'google-gemini-v1',
  openai: 'openai-responses-v1',
};

export function originOf(format: unknown): Origin | undefined {
  const name = text(format);
  if (name.startsWith('anthropic')) return 'anthropic';
  if (name.startsWith('google')) return 'google';
  // Several vendors offer OpenAI's Responses; their encrypted reasoning is distinguished by its key, not by its name.
  return name.includes('responses') ? 'openai' : undefined;
}

const idOf = (detail: Json): { id?: string } => (text(detail['id']) === '' ? {} : { id: text(detail['id']) });

export function decodeDetails(details: unknown): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  for (const detail of objects(details)) {
    const origin = originOf(detail['format']);
    const marked = origin === undefined ? {} : { origin };
    switch (detail['type']) {
      case 'reasoning.text': {
        const signature = text(detail['signature']);
        parts.push({
          type: 'reasoning',
          text: text(detail['text']),
          ...(signature === '' ? {} : { signature }),
          ...marked,
          ...idOf(detail),
        });
        break;
      }
      case 'reasoning.summary':
        parts.push({ type: 'reasoning', text: text(detail['summary']), ...marked, ...idOf(detail) });
        break;
      case 'reasoning.encrypted': {
        const last = parts.at(-1);
        const data = text(detail['data']);
        // A summary and its encrypted content are one block with one id.
        if (
          last !== undefined &&
          last.id !== undefined &&
          last.id === detail['id'] &&
          last.signature === undefined
        ) {
          last.signature = data;
        } else parts.push({ type: 'reasoning', text: '', redacted: data, ...marked, ...idOf(detail) });
        break;
      }
      default:
    }
  }
  return parts;
}

/** The details of one block; none without a signature, which is sent as plain text. */
export function encodeDetails(block: ReasoningPart | ReasoningBlock): Json[] {
  const { origin, signature, redacted } = block;
  if (origin === undefined || (signature === undefined && redacted === undefined)) return [];
  const common = { ...(block.id === undefined ? {} : { id: block.id }), format: FORMATS[origin] };
  if (origin !== 'openai' && redacted === undefined)
    return [{ type: 'reasoning.text', text: block.text, signature, ...common }];
  const encrypted = { type: 'reasoning.encrypted', data: redacted ?? signature, ...common };
  return block.text === ''
    ? [encrypted]
    : [{ type: 'reasoning.summary', summary: block.text, ...common }, encrypted];
}
