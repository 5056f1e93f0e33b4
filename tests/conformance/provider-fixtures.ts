// How each provider of the registry is to be spoken to: one entry for each, by number. The suite fails by name for a
// provider that has none.
import { expect } from 'bun:test';
import type { MockUpstream, ServedRequest } from '#tests/support/mock-upstream/index.ts';
import {
  awsKey,
  baiduKey,
  serviceAccount,
  tencentKey,
  vertexToken,
  zhipuKey,
} from '#tests/support/mock-upstream/supplier-keys.ts';

type Json = Record<string, unknown>;

export interface ProviderFixture {
  /** As the upstream is to hear it. */
  model: string;
  kind?: 'chat' | 'embeddings';
  key?: (mock: MockUpstream) => string;
  badKey?: (mock: MockUpstream) => string;
  other?: string;
  /** Added to the mock's address. */
  base?: string;
  /** Where a whole chat must arrive. */
  path: string;
  streamPath?: string;
  /** Looks at what arrived beyond the path: how the key was shown, what the body says. */
  check?: (request: ServedRequest, body: Json) => void;
  /** The supplier counts nothing that it tells. */
  tellsNoUsage?: 'never' | 'in streams';
  /** The supplier has no tools, or they are not worth the wire here. */
  hasTools?: boolean;
}

const bearer = 'sk-mock-key';

function header(name: string, value: string) {
  return ({ headers }: ServedRequest): void => expect(headers[name]).toBe(value);
}

const withBearer = header('authorization', `Bearer ${bearer}`);

const copy = (model: string, more: Partial<ProviderFixture> = {}): ProviderFixture => ({
  model,
  path: '/v1/chat/completions',
  check: withBearer,
  hasTools: true,
  ...more,
});

const aws = `${awsKey.accessKey}|${awsKey.secretKey}|${awsKey.region}`;
const nova = encodeURIComponent('eu.amazon.nova-pro-v1:0');
const place = '/v1/projects/mock-project/locations/europe-west1/publishers';
const account = '/client/v4/accounts/mock-account/ai';

export const providerFixtures: Readonly<Record<number, ProviderFixture>> = {
  1: copy('gpt-4o'),
  3: copy('gpt-4o', {
    path: '/openai/deployments/gpt-4o/chat/completions',
    check: header('api-key', bearer),
    other: '2024-10-21',
  }),
  4: copy('llama3.3'),
  6: copy('gpt-4o'),
  7: copy('gpt-4o'),
  8: copy('any-model'),
  9: copy('gpt-4o'),
  10: copy('gpt-4o'),
  11: {
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    check: header('x-goog-api-key', bearer),
  },
  12: copy('gpt-4o'),
  13: copy('gpt-4o'),
  14: {
    model: 'claude-sonnet-4-5',
    path: '/v1/messages',
    hasTools: true,
    check(request, body) {
      header('x-api-key', bearer)(request);
      header('anthropic-version', '2023-06-01')(request);
      expect(body['max_tokens']).toBeNumber();
    },
  },
  15: {
    model: 'ERNIE-4.0-8K',
    path: '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro',
    key: () => `${baiduKey.id}|${baiduKey.secret}`,
    badKey: () => 'someone|else',
    check(_request, body) {
      expect(body).toMatchObject({ system: 'Be kind.', messages: [{ role: 'user', content: 'Say hello.' }] });
    },
  },
  16: copy('glm-4', {
    path: '/api/paas/v4/chat/completions',
    key: () => `${zhipuKey.id}.${zhipuKey.secret}`,
    badKey: () => `${zhipuKey.id}.anothersecret`,
    check: ({ headers }) => expect(headers['authorization']).toMatch(/^Bearer ey[\w-]+\.[\w-]+\.[\w-]+$/),
  }),
  17: copy('qwen-plus', { path: '/compatible-mode/v1/chat/completions' }),
  19: copy('360gpt-pro'),
  20: copy('openai/gpt-5', { base: '/api', path: '/api/v1/chat/completions' }),
  21: {
    model: 'library-model',
    path: '/api/library/ask',
    other: 'mock-library',
    tellsNoUsage: 'never',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ libraryId: 'mock-library', model: 'library-model' });
      expect(body['query']).toContain('Say hello.');
    },
  },
  22: copy('fastgpt', { tellsNoUsage: 'in streams' }),
  23: {
    model: 'hunyuan-turbo',
    path: '/',
    hasTools: true,
    key: () => `1250000000|${tencentKey.secretId}|${tencentKey.secretKey}`,
    badKey: () => `1250000000|${tencentKey.secretId}|another`,
    check(request, body) {
      header('x-tc-action', 'ChatCompletions')(request);
      expect(body['Messages']).toEqual([
        { Role: 'system', Content: 'Be kind.' },
        { Role: 'user', Content: 'Say hello.' },
      ]);
    },
  },
  24: {
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    hasTools: true,
    check: header('x-goog-api-key', bearer),
  },
  25: copy('kimi-latest'),
  26: copy('glm-4.6', { path: '/api/paas/v4/chat/completions' }),
  27: copy('sonar', { path: '/chat/completions' }),
  31: copy('yi-large'),
  33: {
    model: 'nova-pro',
    path: `/model/${nova}/converse`,
    streamPath: `/model/${nova}/converse-stream`,
    hasTools: true,
    key: () => aws,
    badKey: () => aws.replace(awsKey.secretKey, 'another'),
    check(_request, body) {
      expect(body).toMatchObject({
        system: [{ text: 'Be kind.' }],
        messages: [{ role: 'user', content: [{ text: 'Say hello.' }] }],
        inferenceConfig: { maxTokens: 40 },
      });
    },
  },
  34: {
    model: 'command-r',
    path: '/v2/chat',
    hasTools: true,
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ model: 'command-r', max_tokens: 40 });
    },
  },
  35: copy('MiniMax-M1', { path: '/v1/text/chatcompletion_v2' }),
  37: {
    model: 'dify-app',
    path: '/v1/chat-messages',
    check(request, body) {
      withBearer(request);
      expect(body['query']).toContain('Say hello.');
    },
  },
  38: copy('jina-embeddings-v3', { kind: 'embeddings', path: '/v1/embeddings', hasTools: false }),
  39: copy('@cf/meta/llama-4-scout', { path: `${account}/v1/chat/completions`, other: 'mock-account' }),
  40: copy('deepseek-ai/DeepSeek-V3.2'),
  41: {
    model: 'claude-sonnet-4-5-20250929',
    path: `${place}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    streamPath: `${place}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    hasTools: true,
    other: '{"default":"us-central1","claude-sonnet-4-5-20250929":"europe-west1"}',
    key: ({ url }) => serviceAccount(`${url}/mock-oauth/token`),
    badKey: ({ url }) =>
      serviceAccount(`${url}/mock-oauth/token`).replace('mock@mock-project', 'other@mock-project'),
    check(request, body) {
      header('authorization', `Bearer ${vertexToken}`)(request);
      expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16' });
      expect(body).not.toHaveProperty('model');
    },
  },
  42: copy('mistral-large-latest', {
    key: () => `${bearer}.mock-usage-unasked`,
    check(request, body) {
      header('authorization', `Bearer ${bearer}.mock-usage-unasked`)(request);
      expect(body).not.toHaveProperty('stream_options');
    },
  }),
  43: copy('deepseek-chat'),
  44: copy('m3e-base', { kind: 'embeddings', path: '/v1/embeddings', hasTools: false }),
  45: copy('doubao-seed-1-6', { path: '/api/v3/chat/completions' }),
  46: copy('ernie-4.5-turbo-128k', {
    path: '/v2/chat/completions',
    key: () => `${bearer}|app-1`,
    check(request) {
      withBearer(request);
      header('appid', 'app-1')(request);
    },
  }),
  47: copy('any-local'),
  48: copy('grok-4'),
  49: {
    model: 'coze-model',
    path: '/v3/chat',
    other: 'mock-bot',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ bot_id: 'mock-bot', stream: true });
    },
  },
  53: copy('submodel-1'),
  56: {
    model: 'meta/llama-4',
    path: '/v1/models/meta/llama-4/predictions',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({
        input: { prompt: 'Say hello.', system_prompt: 'Be kind.', max_tokens: 40 },
      });
    },
  },
  57: {
    model: 'gpt-5-codex',
    path: '/backend-api/codex/responses',
    key: () => JSON.stringify({ tokens: { access_token: 'mock-access', account_id: 'mock-account' } }),
    badKey: () => JSON.stringify({ access_token: 'other', account_id: 'mock-account' }),
    check: (_request, body) => expect(body).toMatchObject({ store: false, stream: true }),
  },
  58: {
    model: 'anything',
    path: '/anthropic/v1/messages',
    hasTools: true,
    other: '{"paths":{"anthropic-messages":"/anthropic/v1/messages"},"auth":"x-api-key: {key}"}',
    check: header('x-api-key', bearer),
  },
  59: copy('claude-sonnet-4-5'),
  60: copy('gpt-4o'),
};

export const defaultKey = bearer;
