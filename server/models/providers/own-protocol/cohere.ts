// Cohere: its own chat format; embeddings and reranking close to the common one.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { cohere as codec } from '#server/models/formats/cohere/index.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import {
  embeddingAnswer,
  inputTexts,
  rankedIn,
  rerankAnswer,
} from '#server/models/providers/shared/embeddings.ts';
import { countIn, withoutUndefined, listIn, member, namesIn } from '#server/models/providers/shared/json.ts';
import type { Format, Provider, ProviderChannel, TaskConversion } from '#server/models/providers/provider.ts';

const embeddings: TaskConversion = {
  encodeRequest: (body, notes) =>
    withoutUndefined({
      model: body['model'],
      texts: inputTexts(body, notes),
      // OpenAI has no such field; most vectors are made of documents.
      input_type: body['input_type'] ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: body['dimensions'],
    }),
  decodeResponse: (answer, request) =>
    embeddingAnswer(
      listIn(answer, 'embeddings', 'float'),
      request,
      countIn(answer, 'meta', 'billed_units', 'input_tokens') || undefined,
    ),
};

const rerank: TaskConversion = {
  encodeRequest: (body) =>
    withoutUndefined({
      model: body['model'],
      query: body['query'],
      documents: body['documents'],
      top_n: body['top_n'],
      max_tokens_per_doc: body['max_tokens_per_doc'],
    }),
  // Cohere bills searches, not tokens; the estimate of the call is charged.
  decodeResponse: (answer, request) => rerankAnswer(rankedIn(listIn(answer, 'results')), request, undefined),
};

const PATHS: Partial<Record<Format, string>> = {
  own: '/v2/chat',
  'openai-embeddings': '/v2/embed',
  'openai-rerank': '/v2/rerank',
};

function ownBase(channel: ProviderChannel): string {
  return baseOf(channel, CHANNEL_TYPE.cohere).replace(/\/v[12]$/, '');
}

export const cohere: Provider = {
  type: CHANNEL_TYPE.cohere,
  speaks: ['own', 'openai-embeddings', 'openai-rerank'],
  url: (channel, call) => ownBase(channel) + (PATHS[call.format] ?? call.path),
  headers: bearer,
  ownCodec: codec,
  tasks: { 'openai-embeddings': embeddings, 'openai-rerank': rerank },
  refusalIn(body, status) {
    const message = member(body, 'message');
    if (status < 400 || typeof message !== 'string') return undefined;
    const isAccountFault = status === 402 || /invalid api token|trial key|billing/i.test(message);
    return { message, type: '', code: '', status, isAccountFault };
  },
  listing: {
    url: (channel) => `${ownBase(channel)}/v1/models?page_size=1000`,
    names: (answer) => namesIn(answer, 'models', 'name'),
  },
};
