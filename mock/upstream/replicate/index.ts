// Replicate's predictions; the call waits for the result.
import type { Answer, Route } from '#mock/upstream/dialect.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { converse, json, refused, supplierDialect, type Json, textOf } from '#mock/upstream/supplier.ts';

const CALL_PATH = /^\/v1\/models\/([^/]+\/[^/]+)\/predictions$/;

const route: Route = {
  lastUserText: (body) => textOf((body['input'] as Json | undefined)?.['prompt']),
  answer(exchange): Answer {
    const { body, request, model } = exchange;
    const input = body['input'] as Json;
    if (request.headers.get('prefer')?.startsWith('wait') !== true || typeof input['prompt'] !== 'string')
      return refused(422, { title: 'Input validation failed', detail: 'prompt is required', status: 422 });
    const head = { id: uniqueId('p'), model, status: 'succeeded', error: null };
    if (model.includes('flux')) return json({ ...head, output: ['https://pictures.example/1.png'] });
    const { pieces, usage } = converse(exchange, [input['system_prompt'], input['prompt']], {
      limit: input['max_tokens'],
    });
    const metrics = { input_token_count: usage.inputTokens, output_token_count: usage.outputTokens };
    return json({ ...head, output: pieces, metrics });
  },
};

const listRoute: Route = {
  answer: () => json({ name: 'Language models', models: [{ owner: 'meta', name: 'llama-4' }] }),
};

export const replicate = supplierDialect({
  name: 'replicate',
  route(method, path) {
    if (method === 'GET' && path === '/v1/collections/language-models') return listRoute;
    return method === 'POST' && CALL_PATH.test(path) ? route : undefined;
  },
  readCall: ({ path }) => ({ model: decodeURIComponent(CALL_PATH.exec(path)?.[1] ?? ''), stream: false }),
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) => refused(status, { title: 'Unauthenticated', detail: 'replicate refused', status }),
});
