// Alibaba's DashScope: chat and embeddings like OpenAI, reranking and images in its own format.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { documentTexts, rankedIn, rerankAnswer } from '#server/models/providers/shared/embeddings.ts';
import { countIn, withoutUndefined, listIn, namesIn, textIn } from '#server/models/providers/shared/json.ts';
import { openAiStyle } from './style.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { ProviderChannel, TaskConversion } from '#server/models/providers/provider.ts';

const rerank: TaskConversion = {
  encodeRequest: (body) => ({
    model: body['model'],
    input: { query: body['query'], documents: documentTexts(body) },
    parameters: withoutUndefined({ top_n: body['top_n'], return_documents: false }),
  }),
  decodeResponse: (answer, request) =>
    rerankAnswer(
      rankedIn(listIn(answer, 'output', 'results')),
      request,
      countIn(answer, 'usage', 'total_tokens') || undefined,
    ),
};

const images: TaskConversion = {
  encodeRequest: (body) => ({
    model: body['model'],
    input: { messages: [{ role: 'user', content: [{ text: body['prompt'] }] }] },
    parameters: withoutUndefined({
      n: body['n'],
      // DashScope writes 1024*1024.
      size: typeof body['size'] === 'string' ? body['size'].replace('x', '*') : undefined,
      watermark: false,
    }),
  }),
  decodeResponse: (answer) =>
    imageAnswer(
      listIn(answer, 'output', 'choices')
        .flatMap((choice) => listIn(choice, 'message', 'content'))
        .map((part) => ({ url: textIn(part, 'image') }))
        .filter(({ url }) => url !== ''),
    ),
};

function ownBase(channel: ProviderChannel): string {
  return baseOf(channel, CHANNEL_TYPE.ali).replace(/\/compatible-mode(\/v1)?$/, '');
}

export const ali = openAiStyle({
  type: CHANNEL_TYPE.ali,
  speaks: [
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-rerank',
    'openai-images',
    'openai-batches',
    'video',
  ],
  url(channel, { format, path }) {
    const base = ownBase(channel);
    if (format === 'video') return base + path;
    if (format === 'openai-rerank') return `${base}/api/v1/services/rerank/text-rerank/text-rerank`;
    if (format === 'openai-images') return `${base}/api/v1/services/aigc/multimodal-generation/generation`;
    return `${base}/compatible-mode${path}`;
  },
  tasks: { 'openai-rerank': rerank, 'openai-images': images },
  refusalIn(body, status) {
    // The native paths return a flat object with a word as the code.
    const code = textIn(body, 'code') || textIn(body, 'error', 'code');
    if (code === '') return undefined;
    const message = textIn(body, 'message') || textIn(body, 'error', 'message');
    const isAccountFault = /^(InvalidApiKey|invalid_api_key|Arrearage|AccessDenied|AllocationQuota)/.test(
      code,
    );
    return {
      message,
      type: textIn(body, 'error', 'type') || code,
      code,
      status: Math.max(status, 400),
      isAccountFault,
    };
  },
  listing: {
    url: (channel) => `${ownBase(channel)}/compatible-mode/v1/models`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
});
