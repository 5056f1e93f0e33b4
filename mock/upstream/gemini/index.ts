// Gemini's public API. The path contains model and method.
import type { Dialect, Route } from '#mock/upstream/dialect.ts';
import { unknownRoute } from '#mock/upstream/openai/errors.ts';
import { batchEmbedRoute, embedRoute } from './embed.ts';
import { checkKey, midStreamError, refusal } from './errors.ts';
import { countRoute, generateRoute } from './generate.ts';

const methods: Record<string, Route> = {
  generateContent: generateRoute,
  streamGenerateContent: generateRoute,
  countTokens: countRoute,
  embedContent: embedRoute,
  batchEmbedContents: batchEmbedRoute,
};

const CALL_PATH = /^\/v1(?:beta|alpha)?\/models\/([^/]+):(\w+)$/;

const modelsRoute: Route = {
  answer: () => ({
    kind: 'json',
    body: JSON.stringify({
      models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro-preview', 'gemini-embedding-001'].map(
        (id) => ({
          name: `models/${id}`,
          version: '001',
          displayName: id,
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: id.includes('embedding')
            ? ['embedContent', 'batchEmbedContents']
            : ['generateContent', 'countTokens'],
        }),
      ),
    }),
  }),
};

export const gemini: Dialect = {
  name: 'gemini',
  route(method, path) {
    if (method === 'GET' && path === '/v1beta/models') return modelsRoute;
    const found = method === 'POST' ? CALL_PATH.exec(path) : null;
    return found === null ? undefined : methods[found[2] ?? ''];
  },
  readCall({ path }) {
    const [, model = '', method = ''] = CALL_PATH.exec(path) ?? [];
    return { model: decodeURIComponent(model), stream: method === 'streamGenerateContent' };
  },
  readKey(headers, url) {
    const named = headers.get('x-goog-api-key') ?? headers.get('authorization')?.replace(/^Bearer /, '');
    return named ?? new URL(url).searchParams.get('key') ?? '';
  },
  headers: () => ({
    'X-Frame-Options': 'SAMEORIGIN',
    'Server-Timing': 'gfet4t7; dur=311',
    'Alt-Svc': 'h3=":443"; ma=2592000',
  }),
  refusal,
  checkKey,
  midStreamError,
  unknownRoute,
};
