// Suppliers with OpenAI's or Anthropic's API under another path: the path is matched here, the other dialect answers. Azure's
// key and version, Zhipu's signed token, MiniMax's refusals inside a 200 and Codex's requirements are checked here.
import { createHmac } from 'node:crypto';
import { anthropic } from '#mock/upstream/anthropic/index.ts';
import type { Dialect, Exchange, Route } from '#mock/upstream/dialect.ts';
import { PIXEL_PNG } from '#mock/upstream/openai/identity.ts';
import { openai } from '#mock/upstream/openai/index.ts';
import { bearerOf, json, refused, supplierDialect, type Json, textOf } from '#mock/upstream/supplier.ts';
import { ZHIPU_KEY } from '#mock/upstream/supplier-keys.ts';
import { isCodexToken } from './codex-logins.ts';

const noHeaders = new Headers();

const OPEN_AI_PATHS = [
  /^\/api\/paas\/v4(\/.+)$/,
  /^\/compatible-mode\/v1(\/.+)$/,
  /^\/api\/v3\/bots(\/.+)$/,
  /^\/api\/v3(\/.+)$/,
  /^\/v2(\/(?:chat\/completions|embeddings|images\/generations|models)|\/completions)$/,
  /^\/client\/v4\/accounts\/mock-account\/ai\/v1(\/.+)$/,
  /^\/api\/v1(\/(?:chat\/completions|models|responses|embeddings))$/,
  /^\/beta(\/completions)$/,
  /^(\/chat\/completions)$/,
];
const ANTHROPIC_PATHS = [/^\/(?:api\/)?anthropic(\/v1\/messages)$/, /^\/api(\/v1\/messages)$/];

/** Suppliers have their own model names; the strict list of fields applies to OpenAI only. */
export const compatible: Dialect = {
  ...openai,
  name: 'compatible',
  route(method, path) {
    for (const pattern of OPEN_AI_PATHS) {
      const rest = pattern.exec(path)?.[1];
      if (rest !== undefined) return openai.route(method, `/v1${rest}`, noHeaders);
    }
    return undefined;
  },
  // Cloudflare's names begin with an @, which would select a behaviour.
  readCall: ({ model, body }) => ({ model: model.replace(/^@/, ''), stream: body['stream'] === true }),
  readKey: bearerOf,
  checkKey: (exchange) => {
    const isSigned = exchange.key.split('.').length === 3 && exchange.path.startsWith('/api/paas/');
    if (isSigned && !isZhipuToken(exchange.key))
      return refused(401, { error: { code: '1000', message: '身份验证失败。' } });
    return openai.checkKey(exchange);
  },
  refusal(exchange, status) {
    if (!exchange.path.startsWith('/api/paas/')) return openai.refusal(exchange, status);
    const code = status === 401 ? '1000' : status === 429 ? '1302' : '1113';
    return refused(status, { error: { code, message: 'zhipu refused' } });
  },
};

export const compatibleAnthropic: Dialect = {
  ...anthropic,
  name: 'compatible-anthropic',
  route(method, path) {
    for (const pattern of ANTHROPIC_PATHS) {
      const rest = pattern.exec(path)?.[1];
      if (rest !== undefined) return anthropic.route(method, rest, noHeaders);
    }
    return undefined;
  },
};

function isZhipuToken(token: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', ZHIPU_KEY.secret).update(`${head}.${claims}`).digest('base64url');
  const claimed = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    api_key?: string;
    exp?: number;
  };
  const kind = JSON.parse(Buffer.from(head, 'base64url').toString()) as { sign_type?: string };
  return (
    signature === expected &&
    claimed.api_key === ZHIPU_KEY.id &&
    kind.sign_type === 'SIGN' &&
    (claimed.exp ?? 0) > Date.now()
  );
}

const DEPLOYMENT = /^\/openai\/deployments\/([^/]+)(\/.+)$/;

export const azure: Dialect = {
  ...openai,
  name: 'azure',
  route(method, path) {
    if (path === '/openai/models') return openai.route(method, '/v1/models', noHeaders);
    if (path === '/openai/v1/responses') return openai.route(method, '/v1/responses', noHeaders);
    const rest = DEPLOYMENT.exec(path)?.[2];
    return rest === undefined ? undefined : openai.route(method, `/v1${rest}`, noHeaders);
  },
  readCall({ path, body }) {
    const name = DEPLOYMENT.exec(path)?.[1];
    return {
      model: name === undefined ? textOf(body['model']) : decodeURIComponent(name),
      stream: body['stream'] === true,
    };
  },
  readKey: (headers) => headers.get('api-key') ?? '',
  checkKey(exchange) {
    const hasVersion = new URL(exchange.url).searchParams.get('api-version') !== null;
    const error = {
      code: '401',
      message: 'Access denied due to invalid subscription key or wrong API endpoint.',
    };
    if (exchange.key === '' || exchange.key.startsWith('sk-invalid')) return refused(401, { error: error });
    return hasVersion ? undefined : refused(404, { error: { code: '404', message: 'Resource not found' } });
  },
};

function minimaxRefusal(code: number, message: string) {
  return { base_resp: { status_code: code, status_msg: message } };
}

const chatRoute = openai.route('POST', '/v1/chat/completions', noHeaders) as Route;

/** Refuses with a 200. */
export const minimax = supplierDialect({
  name: 'minimax',
  route(method, path) {
    if (method !== 'POST') return undefined;
    if (path === '/v1/text/chatcompletion_v2') return chatRoute;
    if (path === '/v1/t2a_v2') {
      return {
        answer: () =>
          json({ data: { audio: Buffer.from('sound').toString('hex') }, ...minimaxRefusal(0, '') }),
      };
    }
    if (path === '/v1/image_generation')
      return { answer: () => json({ data: { image_base64: [PIXEL_PNG] }, ...minimaxRefusal(0, 'success') }) };
    return undefined;
  },
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) => {
    const code = status === 401 ? 1004 : status === 402 ? 1008 : status === 429 ? 1002 : 2013;
    return refused(200, minimaxRefusal(code, 'minimax refused'));
  },
});

const responses = openai.route('POST', '/v1/responses', noHeaders) as Route;

/** A subscription always streams and stores nothing. */
export const codex = supplierDialect({
  name: 'codex',
  route: (method, path) =>
    method === 'POST' && path === '/backend-api/codex/responses'
      ? {
          ...responses,
          answer: (exchange: Exchange) =>
            exchange.body['stream'] === true &&
            exchange.body['store'] === false &&
            'instructions' in exchange.body
              ? responses.answer(exchange)
              : refused(400, { detail: 'Stream must be set to true' }),
        }
      : undefined,
  isKnown: ({ key, request }) =>
    (key === 'mock-access' || isCodexToken(key)) &&
    request.headers.get('chatgpt-account-id') === 'mock-account',
  error: (status) => refused(status, { error: { type: 'usage_limit_reached', message: 'codex refused' } }),
});

function aliResults(body: Json): unknown {
  const { documents } = body['input'] as { documents: unknown[] };
  const results = documents.map((_, index) => ({ index, relevance_score: 0.9 - index / 10 }));
  return { output: { results }, usage: { total_tokens: 9 }, request_id: 'mock' };
}

/** DashScope's own tasks beside its compatible mode. */
export const ali = supplierDialect({
  name: 'ali',
  route(method, path) {
    if (method !== 'POST') return undefined;
    if (path === '/api/v1/services/rerank/text-rerank/text-rerank')
      return { answer: ({ body }) => json(aliResults(body)) };
    if (path === '/api/v1/services/aigc/multimodal-generation/generation') {
      const content = [{ image: 'https://pictures.example/1.png' }];
      return { answer: () => json({ output: { choices: [{ message: { role: 'assistant', content } }] } }) };
    }
    return undefined;
  },
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) =>
    refused(status, {
      code: status === 401 ? 'InvalidApiKey' : 'Throttling',
      message: 'Invalid API-key provided.',
    }),
});

export const cloudflare = supplierDialect({
  name: 'cloudflare',
  route(method, path) {
    if (method === 'GET' && path === '/client/v4/accounts/mock-account/ai/models/search')
      return { answer: () => json({ result: [{ name: '@cf/meta/llama-4-scout' }], success: true }) };
    if (method === 'POST' && path.startsWith('/client/v4/accounts/mock-account/ai/run/'))
      return { answer: () => json({ result: { image: PIXEL_PNG }, success: true }) };
    return undefined;
  },
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) =>
    refused(status, { success: false, errors: [{ code: 10000, message: 'Authentication error' }] }),
});

/** Ollama's own list beside its compatible mode; it needs no key. */
export const ollama = supplierDialect({
  name: 'ollama',
  route: (method, path) =>
    method === 'GET' && path === '/api/tags'
      ? { answer: () => json({ models: [{ name: 'llama3.3:latest', model: 'llama3.3:latest', size: 1 }] }) }
      : undefined,
  isKnown: () => true,
  error: (status) => refused(status, { error: 'ollama refused' }),
});
