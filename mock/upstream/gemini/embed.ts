// embedContent and batchEmbedContents.
import type { Answer, Exchange, Route } from '#mock/upstream/dialect.ts';
import { isObject } from '#mock/upstream/openai/prompt.ts';
import { badRequest } from './errors.ts';
import { sizeOf } from './generate.ts';

type Json = Record<string, unknown>;

function vectorOf(request: Json, tokens: number): { values: number[] } {
  const wanted = request['outputDimensionality'];
  const length = typeof wanted === 'number' ? wanted : 8;
  return { values: Array.from({ length }, (_, index) => ((tokens * 31 + index * 17) % 200) / 100 - 1) };
}

function sizeOfContent(request: Json): number {
  return sizeOf({ contents: [request['content']] }).textTokens;
}

export const embedRoute: Route = {
  answer({ body, record }: Exchange): Answer {
    if (!isObject(body['content'])) return badRequest('* EmbedContentRequest.content: content is required');
    const tokens = sizeOfContent(body);
    record.usage = { ...record.usage, inputTokens: tokens };
    return {
      kind: 'json',
      body: JSON.stringify({
        embedding: vectorOf(body, tokens),
        usageMetadata: { promptTokenCount: tokens },
      }),
    };
  },
};

export const batchEmbedRoute: Route = {
  answer({ body, record, model }: Exchange): Answer {
    const requests = Array.isArray(body['requests']) ? (body['requests'] as unknown[]).filter(isObject) : [];
    if (requests.length === 0) return badRequest('* BatchEmbedContentsRequest.requests: is required');
    // Each request repeats the model, which must be the same.
    const stray = requests.findIndex((each) => each['model'] !== `models/${model}`);
    if (stray >= 0)
      return badRequest(
        `* BatchEmbedContentsRequest.requests[${stray}].model: model must be models/${model}`,
      );
    const tokens = requests.map(sizeOfContent);
    const total = tokens.reduce((sum, each) => sum + each, 0);
    record.usage = { ...record.usage, inputTokens: total };
    const embeddings = requests.map((each, index) => vectorOf(each, tokens[index] ?? 0));
    return { kind: 'json', body: JSON.stringify({ embeddings, usageMetadata: { promptTokenCount: total } }) };
  },
};
