// Vertex AI: a signed claim is exchanged for a token at the service account's URL; the models answer in their vendors'
// formats.
import { createVerify } from 'node:crypto';
import { anthropic } from '#mock/upstream/anthropic/index.ts';
import type { Dialect, Exchange, Route } from '#mock/upstream/dialect.ts';
import { gemini } from '#mock/upstream/gemini/index.ts';
import { openai } from '#mock/upstream/openai/index.ts';
import { bearerOf, json, refused, supplierDialect, textOf } from '#mock/upstream/supplier.ts';
import { vertexKeys, VERTEX_TOKEN } from '#mock/upstream/supplier-keys.ts';

const PLACE = '/v1/projects/mock-project/locations/';
const CALL_PATH =
  /^\/v1\/projects\/mock-project\/locations\/([a-z0-9-]+)\/publishers\/(google|anthropic)\/models\/([^/]+):(\w+)$/;
const OPEN_API_PATH =
  /^\/v1\/projects\/mock-project\/locations\/[a-z0-9-]+\/endpoints\/openapi\/chat\/completions$/;
const noHeaders = new Headers();
const messages = anthropic.route('POST', '/v1/messages', noHeaders) as Route;

export const vertex: Dialect = supplierDialect({
  name: 'vertex',
  route(method, path) {
    if (method !== 'POST' || !path.startsWith(PLACE)) return undefined;
    if (OPEN_API_PATH.test(path)) return openai.route('POST', '/v1/chat/completions', noHeaders);
    const [, , publisher, , verb = ''] = CALL_PATH.exec(path) ?? [];
    if (path.endsWith('/anthropic/models/count-tokens:rawPredict')) return countRoute;
    if (publisher === 'anthropic') return claudeRoute;
    if (verb === 'predict') return predictRoute;
    return gemini.route('POST', `/v1beta/models/any:${verb}`, noHeaders);
  },
  readCall({ path, body }) {
    const [, , , model = textOf(body['model']), verb = ''] = CALL_PATH.exec(path) ?? [];
    return {
      // An @ would select a behaviour.
      model: decodeURIComponent(model).replace('@', '-'),
      stream: verb.startsWith('stream') || body['stream'] === true,
    };
  },
  readKey: bearerOf,
  isKnown: ({ key }) => key === VERTEX_TOKEN,
  error: (status) =>
    refused(status, { error: { code: status, message: 'vertex refused', status: 'UNAUTHENTICATED' } }),
});

/** An unknown beta refuses the request, in the header and in the body; not every beta may be in both. */
function hasKnownBetas({ request, body }: Exchange): boolean {
  const header = request.headers.get('anthropic-beta')?.split(',') ?? [];
  const inBody = (body['anthropic_beta'] ?? []) as string[];
  return (
    request.headers.get('anthropic-version') === null &&
    header.every((beta) => BETAS_IN_HEADER.has(beta)) &&
    inBody.every((beta) => BETAS_IN_HEADER.has(beta) || beta === 'context-1m-2025-08-07')
  );
}

const BETAS_IN_HEADER = new Set(['context-management-2025-06-27', 'interleaved-thinking-2025-05-14']);

/** Version and model are elsewhere than at Anthropic. */
const claudeRoute: Route = {
  ...messages,
  answer(exchange) {
    const { anthropic_version: version, anthropic_beta: _betas, ...body } = exchange.body;
    if (version !== 'vertex-2023-10-16' || 'model' in body || !hasKnownBetas(exchange))
      return refused(400, { error: { message: 'Malformed' } });
    const headers = new Headers({ 'anthropic-version': '2023-06-01' });
    const request = new Request(exchange.url, { method: 'POST', headers, signal: exchange.request.signal });
    return messages.answer({ ...exchange, body, request });
  },
};

const counts = anthropic.route('POST', '/v1/messages/count_tokens', noHeaders) as Route;

/** Counting has the model in the body. */
const countRoute: Route = {
  ...counts,
  answer(exchange) {
    const { anthropic_version: version, anthropic_beta: _betas, ...body } = exchange.body;
    const isRight =
      version === 'vertex-2023-10-16' &&
      body['model'] === 'claude-sonnet-4-5@20250929' &&
      hasKnownBetas(exchange);
    return isRight ? counts.answer({ ...exchange, body }) : refused(400, { error: { message: 'Malformed' } });
  },
};

const predictRoute: Route = {
  answer({ body }) {
    const instances = body['instances'] as unknown[];
    return json({
      predictions: instances.map(() => ({
        embeddings: { values: [0.5, 0.25], statistics: { token_count: 3 } },
      })),
    });
  },
};

/** Exchanges the claim after verifying its signature with the public key. */
export const googleTokens: Dialect = supplierDialect({
  name: 'google-tokens',
  route: (method, path) => (method === 'POST' && path === '/mock-oauth/token' ? tokenRoute : undefined),
  isKnown: () => true,
  error: (status) => refused(status, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
});

const tokenRoute: Route = {
  takesAnyBody: true,
  answer({ rawBody, url }: Exchange) {
    const form = new URLSearchParams(rawBody);
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const claimed = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<
      string,
      unknown
    >;
    const isProved = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(vertexKeys().publicKey, signature, 'base64url');
    const isRight =
      isProved &&
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      claimed['iss'] === 'mock@mock-project.iam.gserviceaccount.com' &&
      claimed['aud'] === url &&
      claimed['scope'] === 'https://www.googleapis.com/auth/cloud-platform' &&
      Number(claimed['exp']) > Date.now() / 1000;
    if (!isRight)
      return refused(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    return json({ access_token: VERTEX_TOKEN, expires_in: 3599, token_type: 'Bearer' });
  },
};
