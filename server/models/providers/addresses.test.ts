// The address of each special upstream and its quirks: what differs from OpenAI's layout.
import { describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { bedrockModel } from './aws/bedrock-models.ts';
import { embeddingAnswer, inputTexts, rerankAnswer } from './shared/embeddings.ts';
import { providerOf, providers } from './index.ts';
import type { Format, Provider, ProviderChannel, UpstreamCall } from './provider.ts';
import { versionOf } from './own-protocol/spark.ts';
import { regionOf } from './google/vertex.ts';

const channel: ProviderChannel = { baseUrl: '', key: 'k', organization: '', other: '' };
const paths: Partial<Record<Format, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-images': '/v1/images/generations',
  'openai-rerank': '/v1/rerank',
  'openai-responses': '/v1/responses',
  'openai-realtime': '/v1/realtime',
  'anthropic-messages': '/v1/messages',
};

function provider(type: number): Provider {
  const found = providerOf(type);
  if (!found) throw new Error(`no provider ${type}`);
  return found;
}

function url(
  type: number,
  format: Format,
  model: string,
  more: Partial<ProviderChannel & UpstreamCall> = {},
) {
  const {
    baseUrl = '',
    key = 'k',
    other = '',
    path = paths[format] ?? '/v1/chat/completions',
    isStream = false,
  } = more;
  return provider(type).url({ ...channel, baseUrl, key, other }, { format, path, model, isStream });
}

describe('addresses', () => {
  test('Azure: deployment and version, responses without a deployment, Claude beside it', () => {
    const at = { baseUrl: 'https://mine.openai.azure.com/' };
    const place = 'https://mine.openai.azure.com/openai';
    expect(url(CHANNEL_TYPE.azure, 'openai-chat', 'gpt-4.1', at)).toBe(
      `${place}/deployments/gpt-4.1/chat/completions?api-version=2024-12-01-preview`,
    );
    expect(url(CHANNEL_TYPE.azure, 'openai-chat', 'gpt-3.5-turbo', { ...at, other: '2023-05-15' })).toBe(
      `${place}/deployments/gpt-35-turbo/chat/completions?api-version=2023-05-15`,
    );
    expect(url(CHANNEL_TYPE.azure, 'openai-responses', 'gpt-5', at)).toBe(
      `${place}/v1/responses?api-version=preview`,
    );
    expect(url(CHANNEL_TYPE.azure, 'openai-realtime', 'gpt-realtime', at)).toBe(
      `${place}/realtime?api-version=2024-12-01-preview&deployment=gpt-realtime`,
    );
    expect(url(CHANNEL_TYPE.azure, 'openai-batches', '', { ...at, path: '/v1/batches/b1/cancel' })).toBe(
      `${place}/batches/b1/cancel?api-version=2024-12-01-preview`,
    );
    expect(provider(CHANNEL_TYPE.azure).batchPath?.('/v1/chat/completions')).toBe('/chat/completions');
    expect(url(CHANNEL_TYPE.azure, 'anthropic-messages', 'claude-sonnet-4-5', at)).toBe(
      'https://mine.openai.azure.com/anthropic/v1/messages',
    );
    expect(provider(CHANNEL_TYPE.azure).speaksFor?.('claude-sonnet-4-5', channel)).toEqual([
      'anthropic-messages',
    ]);
    expect(provider(CHANNEL_TYPE.azure).speaksFor?.('gpt-4o', channel)).toContain('openai-chat');
  });

  test('Gemini: the verb follows the call, the version the channel, and the base may contain a version', () => {
    const host = 'https://generativelanguage.googleapis.com';
    expect(url(CHANNEL_TYPE.gemini, 'gemini-generate', 'gemini-2.5-pro', { isStream: true })).toBe(
      `${host}/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
    );
    expect(
      url(CHANNEL_TYPE.gemini, 'gemini-generate', 'gemini-2.5-pro', {
        path: '/v1beta/models/x:countTokens',
        other: 'v1',
      }),
    ).toBe(`${host}/v1/models/gemini-2.5-pro:countTokens`);
    expect(
      url(CHANNEL_TYPE.gemini, 'openai-images', 'imagen-4', { baseUrl: 'https://proxy.example/v1beta' }),
    ).toBe('https://proxy.example/v1beta/models/imagen-4:predict');
  });

  test('Vertex: the host by region, the publisher by model, an API key without a project', () => {
    const key = JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'x' });
    expect(url(CHANNEL_TYPE.vertex, 'gemini-generate', 'gemini-2.5-pro', { key, other: 'global' })).toBe(
      'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-pro:generateContent',
    );
    expect(
      url(CHANNEL_TYPE.vertex, 'anthropic-messages', 'claude-opus-4-1', {
        key,
        other: 'us-east5',
        isStream: true,
      }),
    ).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-4-1:streamRawPredict',
    );
    expect(url(CHANNEL_TYPE.vertex, 'openai-chat', 'meta/llama-4', { key, other: 'us-east5' })).toEndWith(
      '/locations/us-east5/endpoints/openapi/chat/completions',
    );
    expect(
      url(CHANNEL_TYPE.vertex, 'gemini-generate', 'gemini-2.5-pro', { key: 'AQ.key', other: 'global' }),
    ).toBe('https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent');
    expect(provider(CHANNEL_TYPE.vertex).headers({ ...channel, key: 'AQ.key' })).toEqual({
      'x-goog-api-key': 'AQ.key',
    });
  });

  test('Vertex: one region for all, or JSON by model with a default; invalid text is global', () => {
    const region = (other: string) => regionOf({ ...channel, other }, 'm');
    expect([
      region('us-east5'),
      region('{"m":"us-east1","default":"europe-west4"}'),
      region('{"default":"europe-west4"}'),
    ]).toEqual(['us-east5', 'us-east1', 'europe-west4']);
    expect([region(''), region('{'), region('evil.example/')]).toEqual(['global', 'global', 'global']);
  });

  test('Bedrock: region in the host and the profile, ids passed as they are', () => {
    expect(
      url(CHANNEL_TYPE.bedrock, 'anthropic-messages', 'claude-sonnet-4-5', { key: 'a|b|ap-northeast-1' }),
    ).toBe(
      'https://bedrock-runtime.ap-northeast-1.amazonaws.com/model/apac.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
    );
    expect(
      url(CHANNEL_TYPE.bedrock, 'own', 'meta.llama3-70b-instruct-v1:0', {
        key: 'bedrock-api-key|us-west-2',
        isStream: true,
      }),
    ).toBe(
      'https://bedrock-runtime.us-west-2.amazonaws.com/model/meta.llama3-70b-instruct-v1%3A0/converse-stream',
    );
    expect(provider(CHANNEL_TYPE.bedrock).headers({ ...channel, key: 'bedrock-api-key|us-west-2' })).toEqual({
      Authorization: 'Bearer bedrock-api-key',
    });
    expect(bedrockModel('claude-3-5-sonnet-20240620', 'us-gov-west-1')).toBe(
      'us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0',
    );
    expect(bedrockModel('us.anthropic.claude-x', 'us-east-1')).toBe('us.anthropic.claude-x');
  });

  test('versions and paths of OpenAI-compatible upstreams', () => {
    expect([
      url(CHANNEL_TYPE.volcEngine, 'openai-chat', 'bot-123'),
      url(CHANNEL_TYPE.volcEngine, 'openai-chat', 'doubao', { baseUrl: 'https://ark.example/api/v3' }),
      url(CHANNEL_TYPE.baiduV2, 'openai-embeddings', 'bge'),
      url(CHANNEL_TYPE.perplexity, 'openai-chat', 'sonar'),
      url(CHANNEL_TYPE.deepSeek, 'openai-completions', 'deepseek-chat'),
      url(CHANNEL_TYPE.deepSeek, 'anthropic-messages', 'deepseek-chat', {
        baseUrl: 'https://api.deepseek.com/v1',
      }),
      url(CHANNEL_TYPE.moonshot, 'anthropic-messages', 'kimi-latest'),
      url(CHANNEL_TYPE.openRouter, 'anthropic-messages', 'anthropic/claude'),
      url(CHANNEL_TYPE.zhipuV4, 'anthropic-messages', 'glm-4.6'),
      url(CHANNEL_TYPE.ali, 'openai-rerank', 'gte-rerank'),
      url(CHANNEL_TYPE.newApi, 'gemini-generate', 'gemini-2.5-pro', {
        baseUrl: 'https://gate.example/v1',
        isStream: true,
      }),
    ]).toEqual([
      'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions',
      'https://ark.example/api/v3/chat/completions',
      'https://qianfan.baidubce.com/v2/embeddings',
      'https://api.perplexity.ai/chat/completions',
      'https://api.deepseek.com/beta/completions',
      'https://api.deepseek.com/anthropic/v1/messages',
      'https://api.moonshot.cn/anthropic/v1/messages',
      'https://openrouter.ai/api/v1/messages',
      'https://open.bigmodel.cn/api/anthropic/v1/messages',
      'https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank',
      'https://gate.example/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    ]);
  });

  test('Spark: the version in the model’s name wins over the channel’s', () => {
    expect(versionOf({ ...channel, other: 'v3.1' }, 'SparkDesk')).toBe('v3.1');
    expect(versionOf({ ...channel, other: 'v3.1' }, 'SparkDesk-v4.0')).toBe('v4.0');
    expect(versionOf(channel, 'SparkDesk')).toBe('v2.1');
    expect(url(CHANNEL_TYPE.spark, 'own', 'SparkDesk-v4.0')).toBe('https://spark-api.xf-yun.com/v4.0/chat');
  });

  test('Advanced Custom: only the configured formats; without any OpenAI’s layout', () => {
    const other = JSON.stringify({
      paths: {
        'openai-chat': '/x/{model}',
        'openai-images': 'https://evil.example/',
        'gemini-generate': '/g/{model}:{verb}',
      },
      auth: 'X-Key: {key}!',
    });
    const own = { ...channel, baseUrl: 'https://b.example/', other };
    expect(provider(CHANNEL_TYPE.advancedCustom).speaksFor?.('m', own)).toEqual([
      'openai-chat',
      'gemini-generate',
    ]);
    expect(url(CHANNEL_TYPE.advancedCustom, 'openai-chat', 'a/b', own)).toBe('https://b.example/x/a%2Fb');
    expect(url(CHANNEL_TYPE.advancedCustom, 'gemini-generate', 'g', own)).toBe(
      'https://b.example/g/g:generateContent',
    );
    expect(provider(CHANNEL_TYPE.advancedCustom).headers(own)['X-Key']).toBe('k!');
    const plain = { ...channel, baseUrl: 'https://b.example', other: 'not json' };
    expect(provider(CHANNEL_TYPE.advancedCustom).speaksFor?.('m', plain)).toContain('openai-chat');
    expect(url(CHANNEL_TYPE.advancedCustom, 'openai-chat', 'm', plain)).toBe(
      'https://b.example/v1/chat/completions',
    );
    expect(provider(CHANNEL_TYPE.advancedCustom).headers(plain)['Authorization']).toBe('Bearer k');
  });

  test('a URL never contains the key, except where it is signed', () => {
    const secret = 'secretsecretsecret';
    for (const each of providers) {
      const [format = 'openai-chat'] = each.speaks;
      const at = { ...channel, baseUrl: 'https://upstream.example', key: secret, other: 'x' };
      const made = each.url(at, { format, path: '/v1/chat/completions', model: 'm', isStream: false });
      expect(made).not.toContain(secret);
    }
  });
});

describe('quirks', () => {
  const call = { format: 'openai-chat', path: '/v1/chat/completions', model: 'm', isStream: false } as const;
  const adjust = (type: number, body: Record<string, unknown>) =>
    provider(type).adjust?.(body, call, channel, []);

  test('Mistral: ids of nine letters that still match, the older name of the limit', () => {
    const id = 'call_0123456789abcdef';
    const body = adjust(CHANNEL_TYPE.mistral, {
      max_completion_tokens: 5,
      stream_options: {},
      messages: [
        { role: 'assistant', tool_calls: [{ id, type: 'function', function: {} }] },
        { role: 'tool', tool_call_id: id, content: '1' },
        { role: 'tool', tool_call_id: 'abcdefgh1', content: '2' },
      ],
    });
    const [asked, answered, short] = (body?.['messages'] ?? []) as {
      tool_calls: { id: string }[];
      tool_call_id: string;
    }[];
    expect(asked?.tool_calls[0]?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(answered?.tool_call_id).toBe(asked?.tool_calls[0]?.id ?? '');
    expect(short?.tool_call_id).toBe('abcdefgh1');
    expect(body).toMatchObject({ max_tokens: 5 });
    expect(body).not.toHaveProperty('max_completion_tokens');
    expect(body).not.toHaveProperty('stream_options');
  });

  test('some upstreams refuse a top_p of 1', () => {
    expect([
      adjust(CHANNEL_TYPE.perplexity, { top_p: 1 }),
      adjust(CHANNEL_TYPE.zhipuV4, { top_p: 1 }),
      adjust(CHANNEL_TYPE.perplexity, { top_p: 0.5 }),
    ]).toEqual([{ top_p: 0.99 }, { top_p: 0.99 }, { top_p: 0.5 }]);
  });

  test('embeddings: base64 in OpenAI’s encoding, token ids dropped with a note', () => {
    const answer = embeddingAnswer([[1, 0.5]], { model: 'm', encoding_format: 'base64' }, 7);
    const [first] = answer['data'] as { embedding: string }[];
    const floats = new Float32Array(Buffer.from(first?.embedding ?? '', 'base64').buffer.slice(0, 8));
    expect([...floats]).toEqual([1, 0.5]);
    expect(answer['usage']).toEqual({ prompt_tokens: 7, total_tokens: 7 });
    const notes: ConversionNote[] = [];
    expect(inputTexts({ input: ['a', [1, 2]] }, notes)).toEqual(['a']);
    expect(notes).toHaveLength(1);
    expect(
      rerankAnswer([{ index: 1, score: 0.5 }], { model: 'm', documents: ['a', { text: 'b' }] }, undefined),
    ).toEqual({
      model: 'm',
      results: [{ index: 1, relevance_score: 0.5 }],
    });
  });
});

describe('refusals in the upstream’s own format', () => {
  test.each([
    [
      CHANNEL_TYPE.baidu,
      200,
      { error_code: 17, error_msg: 'Open api daily request limit reached' },
      401,
      true,
    ],
    [CHANNEL_TYPE.baidu, 200, { error_code: 18, error_msg: 'qps' }, 429, false],
    [
      CHANNEL_TYPE.tencent,
      200,
      { Response: { Error: { Code: 'AuthFailure.SecretIdNotFound', Message: 'x' } } },
      401,
      true,
    ],
    [
      CHANNEL_TYPE.tencent,
      200,
      { Response: { Error: { Code: 'FailedOperation.ServiceStopServing', Message: 'x' } } },
      402,
      true,
    ],
    [
      CHANNEL_TYPE.tencent,
      200,
      { Response: { Error: { Code: 'FailedOperation.EngineServerError', Message: 'x' } } },
      502,
      false,
    ],
    [
      CHANNEL_TYPE.gemini,
      400,
      { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } },
      401,
      true,
    ],
    [
      CHANNEL_TYPE.gemini,
      400,
      { error: { code: 400, message: 'bad schema', status: 'INVALID_ARGUMENT' } },
      400,
      false,
    ],
    [CHANNEL_TYPE.zhipuV4, 429, { error: { code: '1113', message: '您的账户已欠费' } }, 402, true],
    [
      CHANNEL_TYPE.bedrock,
      403,
      { __type: 'com.amazon#UnrecognizedClientException', message: 'x' },
      403,
      true,
    ],
    [CHANNEL_TYPE.bedrock, 429, { __type: 'ThrottlingException', message: 'slow down' }, 429, false],
    [CHANNEL_TYPE.cohere, 429, { message: 'You are using a Trial key, which is limited' }, 429, true],
    [
      CHANNEL_TYPE.miniMax,
      200,
      { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      402,
      true,
    ],
    [CHANNEL_TYPE.miniMax, 200, { base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 429, false],
    [CHANNEL_TYPE.dify, 401, { code: 'unauthorized', message: 'Access token is invalid' }, 401, true],
    [
      CHANNEL_TYPE.cloudflare,
      429,
      { success: false, errors: [{ code: 3036, message: 'neurons' }] },
      429,
      true,
    ],
    [CHANNEL_TYPE.coze, 200, { code: 4101, msg: 'The token is incorrect' }, 401, true],
    [CHANNEL_TYPE.replicate, 200, { status: 'failed', error: 'CUDA out of memory' }, 502, false],
    [CHANNEL_TYPE.replicate, 201, { status: 'processing' }, 504, false],
    [
      CHANNEL_TYPE.ali,
      400,
      { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
      400,
      true,
    ],
  ] as const)('%i, %i: %j', (type, status, body, expected, isAccountFault) => {
    const refusal = provider(type).refusalIn?.(body, status);
    expect([refusal?.status, refusal?.isAccountFault]).toEqual([expected, isAccountFault]);
  });

  test.each([
    [
      CHANNEL_TYPE.deepSeek,
      402,
      { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
    ],
    [CHANNEL_TYPE.moonshot, 429, { error: { message: 'quota', type: 'exceeded_current_quota_error' } }],
    [
      CHANNEL_TYPE.siliconFlow,
      403,
      { code: 30_001, message: 'Sorry, your account balance is insufficient', data: null },
    ],
    [
      CHANNEL_TYPE.volcEngine,
      403,
      { error: { code: 'AccountOverdueError', message: 'overdue', type: 'Forbidden' } },
    ],
    [CHANNEL_TYPE.baiduV2, 401, { error: { code: 'invalid_iam_token', message: 'IAM' } }],
    [CHANNEL_TYPE.openRouter, 402, { error: { code: 402, message: 'Insufficient credits' } }],
  ] as const)('%i, %i: a copy of OpenAI’s API blames the account: %j', (type, status, body) => {
    expect(provider(type).refusalIn?.(body, status)?.isAccountFault).toBe(true);
  });

  test('rate limits and invalid requests are not the account’s fault', () => {
    for (const type of [
      CHANNEL_TYPE.openAi,
      CHANNEL_TYPE.openRouter,
      CHANNEL_TYPE.moonshot,
      CHANNEL_TYPE.siliconFlow,
      CHANNEL_TYPE.deepSeek,
      CHANNEL_TYPE.volcEngine,
    ]) {
      const rateLimited = {
        error: { message: 'slow down', type: 'rate_limit_reached_error', code: 'rate_limit_exceeded' },
      };
      expect(provider(type).refusalIn?.(rateLimited, 429)).toBeUndefined();
      expect(provider(type).refusalIn?.({ code: 20_012, message: 'bad' }, 400)).toBeUndefined();
    }
  });

  test('a valid answer is not a refusal', () => {
    const answers = [
      { choices: [{ message: { content: 'hi' } }], base_resp: { status_code: 0, status_msg: '' } },
      { result: 'hi', usage: {} },
      { Response: { Choices: [{}] } },
      { status: 'succeeded', output: ['hi'] },
      { success: true, answer: 'hi' },
      { output: { message: { content: [] } } },
    ];
    for (const each of providers)
      for (const answer of answers)
        expect([each.type, each.refusalIn?.(answer, 200)]).toEqual([each.type, undefined]);
  });
});
