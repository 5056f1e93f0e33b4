// Which format is used towards a channel: the caller's if the upstream supports it, else one that both sides have a codec
// for, else none.
import { codecs } from '#server/models/formats/index.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { speaksOf } from '#server/models/providers/spoken.ts';
import type { Channel } from './catalog.ts';
import { embeddingFormats } from '#server/models/formats/gemini-embeddings.ts';
import { mapModel } from './mapping.ts';

/** `model`: the caller's name for it. Undefined when the channel cannot serve the call. */
export function spokenFormat(channel: Channel, format: Format, model: string): Format | undefined {
  const { provider } = channel;
  if (provider.speaksFor === undefined && channel.refusedFormats.size === 0) {
    return provider.speaks.includes(format) ? format : convertible(channel, format, provider.speaks);
  }
  let known = answers.get(channel);
  if (known === undefined) answers.set(channel, (known = new Map()));
  const key = `${format} ${model}`;
  if (known.has(key)) return known.get(key);
  const speaks = speaksOf(provider, channel, mapModel(channel.modelMapping, model));
  const answer = speaks.includes(format) ? format : convertible(channel, format, speaks);
  if (known.size >= 1000) known.clear();
  known.set(key, answer);
  return answer;
}

const answers = new WeakMap<Channel, Map<string, Format | undefined>>();

function convertible({ provider }: Channel, format: Format, speaks: readonly Format[]): Format | undefined {
  if (format === 'gemini-embeddings') return embeddingFormats.find((each) => speaks.includes(each));
  if (codecs[format] === undefined) return undefined;
  return speaks.find(
    (each) => codecs[each] !== undefined || (each === 'own' && provider.ownCodec !== undefined),
  );
}

/** The upstream path of a format's calls. */
export function pathOfFormat(format: Format, callerPath: string): string {
  switch (format) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'openai-embeddings':
      return '/v1/embeddings';
    case 'gemini-generate':
      return '/v1beta/models/{model}';
    default:
      return callerPath;
  }
}
