// How each provider of the registry is called, one entry by type. The suite fails by name for a provider without an entry.
import { expect } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { ChannelWish } from '#tests/support/channels.ts';
import type { MockUpstream, ServedRequest } from '#mock/upstream/index.ts';
import {
  AWS_KEY,
  BAIDU_KEY,
  serviceAccount,
  TENCENT_KEY,
  VERTEX_TOKEN,
  ZHIPU_KEY,
} from '#mock/upstream/supplier-keys.ts';

type Json = Record<string, unknown>;

export interface ProviderFixture {
  /** The model name at the upstream. */
  model: string;
  kind?: 'chat' | 'embeddings';
  key?: (mock: MockUpstream) => string;
  badKey?: (mock: MockUpstream) => string;
  other?: string;
  /** Appended to the mock's address. */
  base?: string;
  /** The path of a whole chat. */
  path: string;
  streamPath?: string;
  /** Checks beyond the path: key header, body. */
  check?: (request: ServedRequest, body: Json) => void;
  /** The supplier reports no usage. */
  lacksUsage?: 'always' | 'in streams';
  /** The supplier has tools, and they are tested here. */
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

const aws = `${AWS_KEY.accessKey}|${AWS_KEY.secretKey}|${AWS_KEY.region}`;
const nova = encodeURIComponent('eu.amazon.nova-pro-v1:0');
const place = '/v1/projects/mock-project/locations/europe-west1/publishers';
const account = '/client/v4/accounts/mock-account/ai';

export const providerFixtures: Readonly<Record<number, ProviderFixture>> = {
  [CHANNEL_TYPE.openAi]: copy('gpt-4o'),
  [CHANNEL_TYPE.azure]: copy('gpt-4o', {
    path: '/openai/deployments/gpt-4o/chat/completions',
    check: header('api-key', bearer),
    other: '2024-10-21',
  }),
  [CHANNEL_TYPE.ollama]: copy('llama3.3'),
  [CHANNEL_TYPE.openAiMax]: copy('gpt-4o'),
  [CHANNEL_TYPE.ohMyGpt]: copy('gpt-4o'),
  [CHANNEL_TYPE.custom]: copy('any-model'),
  [CHANNEL_TYPE.ails]: copy('gpt-4o'),
  [CHANNEL_TYPE.aiProxy]: copy('gpt-4o'),
  [CHANNEL_TYPE.palm]: {
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    check: header('x-goog-api-key', bearer),
  },
  [CHANNEL_TYPE.api2Gpt]: copy('gpt-4o'),
  [CHANNEL_TYPE.aigc2d]: copy('gpt-4o'),
  [CHANNEL_TYPE.anthropic]: {
    model: 'claude-sonnet-4-5',
    path: '/v1/messages',
    hasTools: true,
    check(request, body) {
      header('x-api-key', bearer)(request);
      header('anthropic-version', '2023-06-01')(request);
      expect(body['max_tokens']).toBeNumber();
    },
  },
  [CHANNEL_TYPE.baidu]: {
    model: 'ERNIE-4.0-8K',
    path: '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro',
    key: () => `${BAIDU_KEY.id}|${BAIDU_KEY.secret}`,
    badKey: () => 'someone|else',
    check(_request, body) {
      expect(body).toMatchObject({ system: 'Be kind.', messages: [{ role: 'user', content: 'Say hello.' }] });
    },
  },
  [CHANNEL_TYPE.zhipu]: copy('glm-4', {
    path: '/api/paas/v4/chat/completions',
    key: () => `${ZHIPU_KEY.id}.${ZHIPU_KEY.secret}`,
    badKey: () => `${ZHIPU_KEY.id}.anothersecret`,
    check: ({ headers }) => expect(headers['authorization']).toMatch(/^Bearer ey[\w-]+\.[\w-]+\.[\w-]+$/),
  }),
  [CHANNEL_TYPE.ali]: copy('qwen-plus', { path: '/compatible-mode/v1/chat/completions' }),
  [CHANNEL_TYPE.ai360]: copy('360gpt-pro'),
  [CHANNEL_TYPE.openRouter]: copy('openai/gpt-5', { base: '/api', path: '/api/v1/chat/completions' }),
  [CHANNEL_TYPE.aiProxyLibrary]: {
    model: 'library-model',
    path: '/api/library/ask',
    other: 'mock-library',
    lacksUsage: 'always',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ libraryId: 'mock-library', model: 'library-model' });
      expect(body['query']).toContain('Say hello.');
    },
  },
  [CHANNEL_TYPE.fastGpt]: copy('fastgpt', { lacksUsage: 'in streams' }),
  [CHANNEL_TYPE.tencent]: {
    model: 'hunyuan-turbo',
    path: '/',
    hasTools: true,
    key: () => `1250000000|${TENCENT_KEY.secretId}|${TENCENT_KEY.secretKey}`,
    badKey: () => `1250000000|${TENCENT_KEY.secretId}|another`,
    check(request, body) {
      header('x-tc-action', 'ChatCompletions')(request);
      expect(body['Messages']).toEqual([
        { Role: 'system', Content: 'Be kind.' },
        { Role: 'user', Content: 'Say hello.' },
      ]);
    },
  },
  [CHANNEL_TYPE.gemini]: {
    model: 'gemini-2.5-flash',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    hasTools: true,
    check: header('x-goog-api-key', bearer),
  },
  [CHANNEL_TYPE.moonshot]: copy('kimi-latest'),
  [CHANNEL_TYPE.zhipuV4]: copy('glm-4.6', { path: '/api/paas/v4/chat/completions' }),
  [CHANNEL_TYPE.perplexity]: copy('sonar', { path: '/chat/completions' }),
  [CHANNEL_TYPE.lingyi]: copy('yi-large'),
  [CHANNEL_TYPE.bedrock]: {
    model: 'nova-pro',
    path: `/model/${nova}/converse`,
    streamPath: `/model/${nova}/converse-stream`,
    hasTools: true,
    key: () => aws,
    badKey: () => aws.replace(AWS_KEY.secretKey, 'another'),
    check(_request, body) {
      expect(body).toMatchObject({
        system: [{ text: 'Be kind.' }],
        messages: [{ role: 'user', content: [{ text: 'Say hello.' }] }],
        inferenceConfig: { maxTokens: 40 },
      });
    },
  },
  [CHANNEL_TYPE.cohere]: {
    model: 'command-r',
    path: '/v2/chat',
    hasTools: true,
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ model: 'command-r', max_tokens: 40 });
    },
  },
  [CHANNEL_TYPE.miniMax]: copy('MiniMax-M1', { path: '/v1/text/chatcompletion_v2' }),
  [CHANNEL_TYPE.dify]: {
    model: 'dify-app',
    path: '/v1/chat-messages',
    check(request, body) {
      withBearer(request);
      expect(body['query']).toContain('Say hello.');
    },
  },
  [CHANNEL_TYPE.jina]: copy('jina-embeddings-v3', {
    kind: 'embeddings',
    path: '/v1/embeddings',
    hasTools: false,
  }),
  [CHANNEL_TYPE.cloudflare]: copy('@cf/meta/llama-4-scout', {
    path: `${account}/v1/chat/completions`,
    other: 'mock-account',
  }),
  [CHANNEL_TYPE.siliconFlow]: copy('deepseek-ai/DeepSeek-V3.2'),
  [CHANNEL_TYPE.vertex]: {
    model: 'claude-sonnet-4-5-20250929',
    path: `${place}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    streamPath: `${place}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    hasTools: true,
    other: '{"default":"us-central1","claude-sonnet-4-5-20250929":"europe-west1"}',
    key: ({ url }) => serviceAccount(`${url}/mock-oauth/token`),
    badKey: ({ url }) =>
      serviceAccount(`${url}/mock-oauth/token`).replace('mock@mock-project', 'other@mock-project'),
    check(request, body) {
      header('authorization', `Bearer ${VERTEX_TOKEN}`)(request);
      expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16' });
      expect(body).not.toHaveProperty('model');
    },
  },
  [CHANNEL_TYPE.mistral]: copy('mistral-large-latest', {
    key: () => `${bearer}.mock-usage-unasked`,
    check(request, body) {
      header('authorization', `Bearer ${bearer}.mock-usage-unasked`)(request);
      expect(body).not.toHaveProperty('stream_options');
    },
  }),
  [CHANNEL_TYPE.deepSeek]: copy('deepseek-chat'),
  [CHANNEL_TYPE.mokaAi]: copy('m3e-base', { kind: 'embeddings', path: '/v1/embeddings', hasTools: false }),
  [CHANNEL_TYPE.volcEngine]: copy('doubao-seed-1-6', { path: '/api/v3/chat/completions' }),
  [CHANNEL_TYPE.baiduV2]: copy('ernie-4.5-turbo-128k', {
    path: '/v2/chat/completions',
    key: () => `${bearer}|app-1`,
    check(request) {
      withBearer(request);
      header('appid', 'app-1')(request);
    },
  }),
  [CHANNEL_TYPE.xinference]: copy('any-local'),
  [CHANNEL_TYPE.xai]: copy('grok-4'),
  [CHANNEL_TYPE.coze]: {
    model: 'coze-model',
    path: '/v3/chat',
    other: 'mock-bot',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({ bot_id: 'mock-bot', stream: true });
    },
  },
  [CHANNEL_TYPE.submodel]: copy('submodel-1'),
  [CHANNEL_TYPE.replicate]: {
    model: 'meta/llama-4',
    path: '/v1/models/meta/llama-4/predictions',
    check(request, body) {
      withBearer(request);
      expect(body).toMatchObject({
        input: { prompt: 'Say hello.', system_prompt: 'Be kind.', max_tokens: 40 },
      });
    },
  },
  [CHANNEL_TYPE.codex]: {
    model: 'gpt-5-codex',
    path: '/backend-api/codex/responses',
    key: () => JSON.stringify({ tokens: { access_token: 'mock-access', account_id: 'mock-account' } }),
    badKey: () => JSON.stringify({ access_token: 'other', account_id: 'mock-account' }),
    check: (_request, body) => expect(body).toMatchObject({ store: false, stream: true }),
  },
  [CHANNEL_TYPE.advancedCustom]: {
    model: 'anything',
    path: '/anthropic/v1/messages',
    hasTools: true,
    other: '{"paths":{"anthropic-messages":"/anthropic/v1/messages"},"auth":"x-api-key: {key}"}',
    check: header('x-api-key', bearer),
  },
  [CHANNEL_TYPE.sub2Api]: copy('claude-sonnet-4-5'),
  [CHANNEL_TYPE.newApi]: copy('gpt-4o'),
};

export const defaultKey = bearer;

/** The channel of a fixture, serving one model under the given name. */
export function channelOf(
  type: number,
  fixture: ProviderFixture,
  { mock, name, key }: { mock: MockUpstream; name: string; key?: string },
): ChannelWish {
  return {
    type,
    name,
    base_url: mock.url + (fixture.base ?? ''),
    models: [name],
    key: key ?? fixture.key?.(mock) ?? defaultKey,
    fields: { model_mapping: JSON.stringify({ [name]: fixture.model }), other: fixture.other ?? '' },
  };
}
