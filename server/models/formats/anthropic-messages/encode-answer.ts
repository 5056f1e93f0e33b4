// Canonical events to whole answers of Anthropic's Messages API.
import type { CanonicalEvent } from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import {
  firstChoice,
  gather,
  type Block,
  type CallBlock,
  type ReasoningBlock,
  type TextBlock,
} from '#server/models/formats/gather.ts';
import { parseArguments, type Json } from '#server/models/formats/json.ts';
import { encodeSignature } from '#server/models/formats/signatures.ts';
import { nameGiver, wrapCustom } from '#server/models/formats/tool-names.ts';
import { encodeErrorBody } from './errors.ts';
import { encodeCitation, encodePicture, messageHead, stopOf } from './pieces.ts';
import { encodeUsage } from './usage.ts';

export function encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): Json {
  const gathered = gather(events);
  if (gathered.error !== undefined) return encodeErrorBody(gathered.error);
  const choice = firstChoice(gathered);
  const hasCalled = choice.blocks.some((block) => block.type === 'tool_call');
  const hasRefused = choice.blocks.some((block) => block.type === 'refusal');
  const { reason, sequence } = stopOf(choice, hasCalled, hasRefused);
  return {
    ...messageHead(gathered.id, gathered.model, options),
    content: encodeBlocks(choice.blocks, options),
    stop_reason: reason,
    stop_sequence: sequence,
    usage:
      gathered.usage === undefined
        ? { input_tokens: options?.estimatedInput ?? 0, output_tokens: 0 }
        : encodeUsage(gathered.usage),
  };
}

function encodeBlocks(blocks: readonly Block[], options: EncodeOptions | undefined): Json[] {
  const encoded: Json[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        if (block.text !== '') encoded.push(encodeText(block));
        break;
      case 'refusal':
        if (block.text !== '') encoded.push({ type: 'text', text: block.text });
        break;
      case 'reasoning':
        encoded.push(encodeReasoning(block));
        break;
      case 'tool_call':
        encoded.push(...encodeCall(block, encoded.at(-1), options));
        break;
      case 'audio':
        if (block.transcript !== '') encoded.push({ type: 'text', text: block.transcript });
        break;
      case 'provider-item':
        if (block.origin === 'anthropic') encoded.push(block.item);
        break;
      case 'image':
        if (block.signature !== undefined) encoded.push(signedBlock(block.signature));
        encoded.push(encodePicture(block));
    }
  }
  return encoded;
}

function encodeText({ text, citations }: TextBlock): Json {
  const encoded = citations.map(encodeCitation).filter((citation) => citation !== undefined);
  return { type: 'text', text, ...(encoded.length === 0 ? {} : { citations: encoded }) };
}

function encodeReasoning({ text, signature, redacted, origin = 'anthropic', id }: ReasoningBlock): Json {
  if (redacted !== undefined)
    return { type: 'redacted_thinking', data: encodeSignature({ redacted, origin, id }, 'anthropic') };
  const kept = signature === undefined ? '' : encodeSignature({ signature, origin, id }, 'anthropic');
  return { type: 'thinking', thinking: text, signature: kept };
}

/** Google's signature of a call is kept with the reasoning before it, like Claude's. */
function encodeCall(call: CallBlock, before: Json | undefined, options: EncodeOptions | undefined): Json[] {
  const given = call.isCustom ? wrapCustom(call.arguments) : call.arguments;
  const name = nameGiver(options?.request)(call.name);
  const use = { type: 'tool_use', id: call.id, name, input: parseArguments(given) };
  if (call.signature === undefined) return [use];
  const signed = signedBlock(call.signature);
  if (before?.['type'] === 'thinking' && before['signature'] === '') {
    before['signature'] = signed['signature'];
    return [use];
  }
  return [signed, use];
}

const signedBlock = (signature: string): Json => ({
  type: 'thinking',
  thinking: '',
  signature: encodeSignature({ signature, origin: 'google' }, 'anthropic'),
});
