// Canonical events to whole chat answers of OpenAI's format.
import type { CanonicalEvent } from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import { choicesOf, gather, type Block, type CallBlock, type Choice } from '#server/models/formats/gather.ts';
import type { Json } from '#server/models/formats/json.ts';
import { openAiTier } from '#server/models/formats/openai-usage.ts';
import { toolFinder, unwrapCustom } from '#server/models/formats/tool-names.ts';
import {
  encodeAnnotation,
  encodeErrorBody,
  encodeImage,
  encodeLogprob,
  encodeUsage,
  idOf,
  RAW_REASONS,
} from './pieces.ts';
import { encodeDetails } from './reasoning-details.ts';

export function encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): Json {
  const gathered = gather(events);
  if (gathered.error !== undefined) return encodeErrorBody(gathered.error);
  return {
    id: idOf(gathered.id, options),
    object: 'chat.completion',
    created: gathered.created || (options?.created ?? 0),
    model: gathered.model || (options?.request?.model ?? ''),
    choices: choicesOf(gathered).map(([index, choice]) => encodeChoice(index, choice, options)),
    ...(gathered.usage === undefined ? {} : { usage: encodeUsage(gathered.usage) }),
    ...(gathered.serviceTier === undefined ? {} : { service_tier: openAiTier(gathered.serviceTier) }),
  };
}

const textOf = (blocks: readonly Block[], type: 'text' | 'reasoning' | 'refusal'): string =>
  blocks.map((block) => (block.type === type ? block.text : '')).join('');

function encodeChoice(index: number, { blocks, reason }: Choice, options: EncodeOptions | undefined): Json {
  const texts = blocks.filter((block) => block.type === 'text');
  const calls = blocks
    .filter((block) => block.type === 'tool_call')
    .sort((left, right) => left.index - right.index);
  const details = blocks.flatMap((block) => (block.type === 'reasoning' ? encodeDetails(block) : []));
  const annotations = texts.flatMap((block) => block.citations.flatMap(encodeAnnotation));
  const images = blocks.filter((block) => block.type === 'image').map(encodeImage);
  const audio = blocks.find((block) => block.type === 'audio');
  const logprobs = texts.flatMap((block) => block.logprobs);
  const content = textOf(blocks, 'text');
  const reasoning = textOf(blocks, 'reasoning');
  const refusal = textOf(blocks, 'refusal');
  const signature = texts.find((block) => block.signature !== undefined)?.signature;
  const isSilent = content === '' && (calls.length > 0 || refusal !== '' || audio !== undefined);
  return {
    index,
    message: {
      role: 'assistant',
      content: isSilent ? null : content,
      refusal: refusal === '' ? null : refusal,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(annotations.length === 0 ? {} : { annotations }),
      ...(images.length === 0 ? {} : { images }),
      ...(audio === undefined
        ? {}
        : {
            audio: {
              id: audio.id,
              data: audio.data,
              transcript: audio.transcript,
              expires_at: audio.expiresAt ?? 0,
            },
          }),
      ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => encodeCall(call, options)) }),
    },
    logprobs: logprobs.length === 0 ? null : { content: logprobs.map(encodeLogprob), refusal: null },
    finish_reason: RAW_REASONS[reason],
  };
}

function encodeCall(call: CallBlock, options: EncodeOptions | undefined): Json {
  const tool = toolFinder(options?.request)(call.name);
  const name = tool?.givenName ?? call.name;
  if (call.isCustom || tool?.type === 'custom') {
    const input = call.isCustom ? call.arguments : unwrapCustom(call.arguments);
    return { id: call.id, type: 'custom', custom: { name, input } };
  }
  return {
    id: call.id,
    type: 'function',
    function: { name, arguments: call.arguments },
    ...(call.signature === undefined
      ? {}
      : { extra_content: { google: { thought_signature: call.signature } } }),
  };
}
