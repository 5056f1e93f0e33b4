// Gemini's embedContent and batchEmbedContents for upstreams with OpenAI's embeddings only.
import type { ConversionNote } from './canonical.ts';
import type { Format, TaskConversion } from './format.ts';
import { isObject, objects, text, type Json } from './json.ts';

export const EMBEDDING_FORMATS: readonly Format[] = ['openai-embeddings'];

export const geminiEmbeddings: TaskConversion = {
  encodeRequest(body, notes) {
    const requests = requestsOf(body);
    const [first = {}] = requests;
    for (const name of ['taskType', 'title'] as const) {
      if (requests.some((each) => each[name] !== undefined)) note(notes, name);
    }
    const dimensions = first['outputDimensionality'];
    const inputs = requests.map((each) => textOf(each['content']));
    return {
      model: body['model'],
      input: Array.isArray(body['requests']) ? inputs : (inputs[0] ?? ''),
      ...(typeof dimensions === 'number' ? { dimensions } : {}),
    };
  },
  decodeResponse(body, request) {
    const answer = isObject(body) ? body : {};
    const vectors = objects(answer['data'])
      .sort((left, right) => Number(left['index'] ?? 0) - Number(right['index'] ?? 0))
      .map((each) => ({ values: each['embedding'] }));
    const { usage } = answer;
    const tokens = isObject(usage) ? usage['prompt_tokens'] : undefined;
    const usageMember = typeof tokens === 'number' ? { usageMetadata: { promptTokenCount: tokens } } : {};
    return Array.isArray(request['requests'])
      ? { embeddings: vectors, ...usageMember }
      : { embedding: vectors[0] ?? { values: [] }, ...usageMember };
  },
};

function requestsOf(body: Json): Json[] {
  return Array.isArray(body['requests']) ? objects(body['requests']) : [body];
}

function textOf(content: unknown): string {
  const parts = isObject(content) ? objects(content['parts']) : [];
  return parts.map((part) => text(part['text'])).join('\n');
}

function note(notes: ConversionNote[], field: string): void {
  notes.push({ field, what: 'dropped', detail: 'the upstream embeds without knowing what for' });
}
