// OpenAI's public API.
import type { Dialect, Exchange, Route } from '#mock/upstream/dialect.ts';
import { speechRoute, transcriptionsRoute, translationsRoute } from './audio.ts';
import { chatRoute } from './chat.ts';
import { checkKey, errorJson, refusal, unknownRoute } from './errors.ts';
import { imageEditsRoute, imageGenerationsRoute, imageVariationsRoute } from './images.ts';
import { keptRoute } from './kept-responses.ts';
import { compactRoute, responsesRoute } from './responses.ts';
import {
  billingRoute,
  completionsRoute,
  embeddingsRoute,
  modelsRoute,
  moderationsRoute,
  oneModelRoute,
  rerankRoute,
} from './texts.ts';

const routes: Record<string, Route> = {
  'POST /v1/chat/completions': chatRoute,
  'POST /v1/completions': completionsRoute,
  'POST /v1/embeddings': embeddingsRoute,
  'POST /v1/moderations': moderationsRoute,
  'POST /v1/images/generations': imageGenerationsRoute,
  'POST /v1/images/edits': imageEditsRoute,
  'POST /v1/images/variations': imageVariationsRoute,
  'POST /v1/audio/speech': speechRoute,
  'POST /v1/audio/transcriptions': transcriptionsRoute,
  'POST /v1/audio/translations': translationsRoute,
  'POST /v1/rerank': rerankRoute,
  'POST /v1/responses': responsesRoute,
  'POST /v1/responses/compact': compactRoute,
  'GET /v1/models': modelsRoute,
  'GET /dashboard/billing/subscription': billingRoute,
  'GET /dashboard/billing/usage': billingRoute,
  'GET /dashboard/billing/credit_grants': billingRoute,
  'GET /v1/dashboard/billing/subscription': billingRoute,
  'GET /v1/dashboard/billing/usage': billingRoute,
  'GET /v1/dashboard/billing/credit_grants': billingRoute,
};

export const openai: Dialect = {
  name: 'openai',
  route(method, path) {
    const route = routes[`${method} ${path}`];
    if (route) return route;
    if (path.startsWith('/v1/responses/')) return keptRoute(method, path);
    return method === 'GET' && path.startsWith('/v1/models/') ? oneModelRoute : undefined;
  },
  readKey(headers) {
    const value = headers.get('authorization') ?? '';
    return value.startsWith('Bearer ') ? value.slice('Bearer '.length) : '';
  },
  headers: ({ record }: Exchange) => ({
    'x-request-id': record.id,
    'openai-organization': 'org-mock',
    'openai-processing-ms': '12',
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-reset-requests': '6ms',
    'cf-ray': '90a0b0c0d0e0f000-FRA',
    'Set-Cookie': '__cf_bm=mock; path=/; HttpOnly; Secure; SameSite=None',
  }),
  refusal,
  checkKey,
  midStreamError(path) {
    const text = {
      message: 'The server had an error while processing your request. Sorry about that!',
      type: 'server_error',
      code: null,
    };
    if (!path.startsWith('/v1/responses')) return { data: errorJson(text) };
    const event = {
      type: 'error',
      code: 'server_error',
      message: text.message,
      param: null,
      sequence_number: 99,
    };
    return { event: 'error', data: JSON.stringify(event) };
  },
  unknownRoute,
};
