// Upstreams that copy OpenAI's API under an address of their own: same paths, same key header, nothing else to say.
import { channelTypes } from './channel-types.ts';
import { openAiStyle } from './openai-style.ts';
import type { Format, Provider } from './provider.ts';

const chat: readonly Format[] = ['openai-chat', 'openai-completions'];
const withEmbeddings: readonly Format[] = [...chat, 'openai-embeddings'];
const withRerank: readonly Format[] = [...withEmbeddings, 'openai-rerank', 'openai-images'];

/** By type; an upstream that offers everything OpenAI does has `undefined`. */
const copies: Record<number, readonly Format[] | undefined> = {
  4: withEmbeddings,
  6: undefined,
  7: undefined,
  9: undefined,
  10: undefined,
  12: undefined,
  13: undefined,
  20: withEmbeddings,
  25: chat,
  31: chat,
  38: ['openai-embeddings', 'openai-rerank'],
  40: [...withRerank, 'openai-speech', 'openai-transcriptions'],
  42: withEmbeddings,
  43: chat,
  44: ['openai-embeddings'],
  47: withRerank,
  48: [...chat, 'openai-images', 'openai-responses'],
  53: chat,
  59: undefined,
  60: undefined,
};

export const openAiCopies: readonly Provider[] = channelTypes
  .filter(({ type }) => type in copies)
  .map(({ type, name, baseUrl }) => {
    const speaks = copies[type];
    return openAiStyle({ type, name, baseUrl, ...(speaks === undefined ? {} : { speaks }) });
  });
