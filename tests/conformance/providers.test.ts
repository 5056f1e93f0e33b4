// Every provider of the registry through the real relay against a mock of its API: URL, key, body, answer, stream, usage,
// refusal. A provider without a fixture fails by name.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { providers } from '#server/models/providers/index.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { DEFAULT_PIECES } from '#mock/upstream/openai/compose.ts';
import { startSpark, type SparkServer } from '#mock/upstream/spark/server.ts';
import { SPARK_KEY } from '#mock/upstream/supplier-keys.ts';
import { channelTypes } from '#server/models/providers/facts/channel-types.ts';
import { channelOf, defaultKey, providerFixtures, type ProviderFixture } from './provider-fixtures.ts';

setDefaultTimeout(20_000);

const sparkType = 18;
const spoken = DEFAULT_PIECES.join('');
const messages = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Say hello.' },
];

let relay: RelayHarness;
let token: TestToken;
let spark: SparkServer;

const nameOf = (provider: Provider) => `p${provider.type}`;
const fixtureOf = (provider: Provider) => providerFixtures[provider.type];
const withFixtures = providers.filter((provider) => fixtureOf(provider) !== undefined);

beforeAll(async () => {
  const names = providers.flatMap((provider) => [nameOf(provider), `${nameOf(provider)}-bad`]);
  const ratios = Object.fromEntries(names.map((name) => [name, 1]));
  relay = await startRelay({
    settings: {
      ModelRatio: JSON.stringify(ratios),
      AutomaticDisableChannelEnabled: 'true',
      RetryTimes: '0',
    },
  });
  spark = startSpark();
  token = await relay.token();
  for (const provider of withFixtures) await addChannels(provider, fixtureOf(provider) as ProviderFixture);
  await relay.relay.reload();
});
afterAll(async () => {
  await spark.stop();
  await relay[Symbol.asyncDispose]();
});

async function addChannels(provider: Provider, fixture: ProviderFixture): Promise<void> {
  const { mock } = relay;
  const add = (name: string, key?: string) =>
    addChannel(relay.store, channelOf(provider.type, fixture, { mock, name, ...(key ? { key } : {}) }));
  await add(nameOf(provider));
  await add(`${nameOf(provider)}-bad`, fixture.badKey?.(mock) ?? 'sk-invalid-key');
}

function post(model: string, more: Record<string, unknown> = {}): Promise<Response> {
  return relay.post('/v1/chat/completions', token.key, { model, messages, max_tokens: 40, ...more });
}

interface Chunk {
  choices: {
    delta: {
      content?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

async function chunksOf(response: Response): Promise<Chunk[]> {
  const text = await response.text();
  expect(text).toEndWith('data: [DONE]\n\n');
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as Chunk);
}

const served = () => {
  const request = relay.mock.requests.at(-1);
  if (!request) throw new Error('the upstream was not called');
  return request;
};

test('every provider of the registry has a fixture', () => {
  const missing = providers.filter(({ type }) => type !== sparkType && providerFixtures[type] === undefined);
  expect(missing.map(titleOf)).toEqual([]);
  const known = new Set(providers.map(({ type }) => type));
  expect(Object.keys(providerFixtures).filter((type) => !known.has(Number(type)))).toEqual([]);
});

const titleOf = ({ type }: Provider) => `${type} ${channelTypes.find((facts) => facts.type === type)?.name}`;

describe.each(
  withFixtures
    .filter((provider) => fixtureOf(provider)?.kind !== 'embeddings')
    .map((provider) => [titleOf(provider), provider] as const),
)('%s', (_title, provider) => {
  const fixture = fixtureOf(provider) as ProviderFixture;

  test('a whole answer: address, key, body, text, reason, usage and charge', async () => {
    const response = await post(nameOf(provider));
    const answer = (await response.json()) as {
      choices: { message: { content: string }; finish_reason: string }[];
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    expect([response.status, answer.choices?.[0]?.message.content]).toEqual([
      200,
      expect.stringContaining(spoken),
    ]);
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    const request = served();
    expect(request.path).toBe(fixture.path);
    fixture.check?.(request, request.body as Record<string, unknown>);
    const log = await relay.lastLog(token.userId);
    if (fixture.lacksUsage !== 'always') {
      const { inputTokens, outputTokens } = request.usage;
      expect([answer.usage.prompt_tokens, answer.usage.completion_tokens]).toEqual([
        inputTokens,
        outputTokens,
      ]);
      expect([log.prompt_tokens, log.completion_tokens]).toEqual([inputTokens, outputTokens]);
    }
    expect([log.model_name, log.upstream_model]).toEqual([nameOf(provider), fixture.model]);
    expect(log.quota).toBeGreaterThan(0);
  });

  test('a stream: the same text in pieces, one reason, usage at the end', async () => {
    const response = await post(nameOf(provider), { stream: true, stream_options: { include_usage: true } });
    expect(response.status).toBe(200);
    const chunks = await chunksOf(response);
    const received = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(received).toContain(spoken);
    const reasons = chunks
      .flatMap(({ choices }) => choices.map((choice) => choice.finish_reason))
      .filter(Boolean);
    expect(reasons).toEqual(['stop']);
    const request = served();
    expect(request.path).toBe(fixture.streamPath ?? fixture.path);
    const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    if (fixture.lacksUsage === undefined) {
      const { inputTokens, outputTokens } = request.usage;
      expect([usage?.prompt_tokens, usage?.completion_tokens]).toEqual([inputTokens, outputTokens]);
    }
  });

  const testTools = async () => {
    const tool = (name: string, property: string) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: { [property]: { type: 'string' } } } },
    });
    const response = await post(nameOf(provider), {
      stream: true,
      tools: [tool('weather', 'city'), tool('time', 'zone')],
    });
    const calls = new Map<number, { id: string; name: string; arguments: string }>();
    const chunks = await chunksOf(response);
    for (const call of chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])) {
      const known = calls.get(call.index) ?? { id: '', name: '', arguments: '' };
      calls.set(call.index, {
        id: known.id + (call.id ?? ''),
        name: known.name + (call.function.name ?? ''),
        arguments: known.arguments + call.function.arguments,
      });
    }
    expect(
      [...calls.values()].map(({ name, arguments: given }) => [name, JSON.parse(given) as unknown]),
    ).toEqual([
      ['weather', { city: 'sample' }],
      ['time', { zone: 'sample' }],
    ]);
    expect(new Set([...calls.values()].map(({ id }) => id)).size).toBe(2);
    const reasons = chunks
      .flatMap(({ choices }) => choices.map((choice) => choice.finish_reason))
      .filter(Boolean);
    expect(reasons).toEqual(['tool_calls']);
  };
  if (fixture.hasTools === true) test('two tools called at once, streamed', testTools);

  test('a key the supplier refuses: nothing is charged, the caller gets a neutral error, the channel is disabled', async () => {
    const name = `${nameOf(provider)}-bad`;
    const before = (await relay.userRow(token.userId)).used_quota;
    const response = await post(name);
    const text = await response.text();
    expect([response.status >= 400, text]).toEqual([
      true,
      expect.not.stringMatching(/refused|invalid|signature/i),
    ]);
    expect((await relay.userRow(token.userId)).used_quota).toBe(before);
    const status = () =>
      relay.store.db
        .selectFrom('channels')
        .select('status')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
    expect((await eventually(status, (row) => row.status === 3)).status).toBe(3);
  });
});

const ownStreams = withFixtures.filter(
  ({ ownCodec, neverStreams }) => ownCodec !== undefined && !neverStreams,
);

describe.each(ownStreams.map((provider) => [titleOf(provider), provider] as const))(
  'the stream of %s',
  (_title, provider) => {
    const { path, streamPath = path } = fixtureOf(provider) as ProviderFixture;

    test('in slices of one byte it says the same', async () => {
      const stop = relay.mock.behave({ when: { path: streamPath }, behaviour: { sliceBytes: 1 } });
      const chunks = await chunksOf(await post(nameOf(provider), { stream: true }));
      stop();
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain(spoken);
    });

    test('broken off in the middle it ends as an error, and what was delivered is paid', async () => {
      for (const behaviour of [{ cutAfterEvents: 5 }, { resetAfterEvents: 5 }]) {
        const stop = relay.mock.behave({ when: { path: streamPath }, behaviour });
        const response = await post(nameOf(provider), { stream: true });
        const text = await response.text();
        stop();
        expect([response.status, text.includes('"error"'), text.includes('[DONE]')]).toEqual([
          200,
          true,
          false,
        ]);
        const log = await eventually(
          () => relay.lastLog(token.userId),
          (row) => row.model_name === nameOf(provider),
        );
        expect(log.completion_tokens).toBeGreaterThan(0);
        expect(log.completion_tokens).toBeLessThan(DEFAULT_PIECES.length + 5);
      }
    });
  },
);

test.each([
  CHANNEL_TYPE.baidu,
  CHANNEL_TYPE.tencent,
  CHANNEL_TYPE.bedrock,
  CHANNEL_TYPE.dify,
  CHANNEL_TYPE.coze,
])('%i: an error inside the supplier’s stream ends it', async (type) => {
  const { path = '', streamPath = path } = providerFixtures[type] ?? {};
  const stop = relay.mock.behave({ when: { path: streamPath }, behaviour: { errorAfterEvents: 4 } });
  const text = await (await post(`p${type}`, { stream: true })).text();
  stop();
  expect(text).toContain('"error"');
  expect(text).not.toContain('[DONE]');
  expect(text).not.toMatch(/服务内部异常|Too many tokens|"broken"|try again/);
});

/** Tasks of OpenAI's API with another name at a supplier. */
describe('embeddings, reranking, pictures and speech in the supplier’s own words', () => {
  const other = (type: number) => providerFixtures[type]?.other ?? '';
  const keyOf = (type: number) => providerFixtures[type]?.key?.(relay.mock) ?? defaultKey;

  async function ask(type: number, model: string, path: string, body: Record<string, unknown>) {
    const name = `task-${type}-${model.replaceAll(/\W/g, '-')}`;
    await relay.settings.set('ModelRatio', JSON.stringify({ [name]: 1 }), 0);
    await relay.channel({
      type,
      name,
      models: [name],
      key: keyOf(type),
      fields: { model_mapping: JSON.stringify({ [name]: model }), other: other(type) },
    });
    return relay.post(path, token.key, { model: name, ...body });
  }

  test.each([
    [CHANNEL_TYPE.jina, 'jina-embeddings-v3', '/v1/embeddings'],
    [CHANNEL_TYPE.mokaAi, 'm3e-base', '/v1/embeddings'],
    [CHANNEL_TYPE.baidu, 'Embedding-V1', '/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/embedding-v1'],
    [CHANNEL_TYPE.tencent, 'hunyuan-embedding', '/'],
    [CHANNEL_TYPE.gemini, 'gemini-embedding-001', '/v1beta/models/gemini-embedding-001:batchEmbedContents'],
    [CHANNEL_TYPE.bedrock, 'cohere.embed-v4:0', `/model/${encodeURIComponent('cohere.embed-v4:0')}/invoke`],
    [CHANNEL_TYPE.cohere, 'embed-v4.0', '/v2/embed'],
    [
      41,
      'text-embedding-005',
      '/v1/projects/mock-project/locations/us-central1/publishers/google/models/text-embedding-005:predict',
    ],
  ])('%i %s: two texts become two vectors, also as base64', async (type, model, path) => {
    const response = await ask(type, model, '/v1/embeddings', { input: ['one', 'two'] });
    const answer = (await response.json()) as { data: { index: number; embedding: number[] }[] };
    expect([response.status, served().path]).toEqual([200, path]);
    expect(answer.data.map(({ index, embedding }) => [index, embedding.length > 1])).toEqual([
      [0, true],
      [1, true],
    ]);
    const packed = await ask(type, model, '/v1/embeddings', { input: 'one', encoding_format: 'base64' });
    const [first] = ((await packed.json()) as { data: { embedding: string }[] }).data;
    const floats = new Float32Array(Buffer.from(first?.embedding ?? '', 'base64').buffer.slice(0));
    expect([typeof first?.embedding, floats.length > 1]).toEqual(['string', true]);
    expect((await relay.lastLog(token.userId)).prompt_tokens).toBeGreaterThan(0);
  });

  test('one text a call where the model takes one', async () => {
    const one = await ask(33, 'amazon.titan-embed-text-v2:0', '/v1/embeddings', { input: 'one' });
    expect([one.status, (await relay.lastLog(token.userId)).prompt_tokens]).toEqual([200, 3]);
    const two = await ask(33, 'amazon.titan-embed-text-v2:0', '/v1/embeddings', { input: ['one', 'two'] });
    expect(two.status).toBe(400);
  });

  test.each([
    [CHANNEL_TYPE.cohere, 'rerank-v3.5', '/v2/rerank'],
    [CHANNEL_TYPE.ali, 'gte-rerank-v2', '/api/v1/services/rerank/text-rerank/text-rerank'],
  ])('%i %s: documents come back in their order of worth', async (type, model, path) => {
    const body = { query: 'q', documents: ['a', 'b'], return_documents: true };
    const response = await ask(type, model, '/v1/rerank', body);
    expect(((await response.json()) as { results: unknown }).results).toEqual([
      { index: 0, relevance_score: 0.9, document: { text: 'a' } },
      { index: 1, relevance_score: 0.8, document: { text: 'b' } },
    ]);
    expect(served().path).toBe(path);
  });

  test.each([
    [CHANNEL_TYPE.ali, 'qwen-image', 'url'],
    [CHANNEL_TYPE.miniMax, 'image-01', 'b64_json'],
    [CHANNEL_TYPE.cloudflare, '@cf/black-forest-labs/flux-1-schnell', 'b64_json'],
    [CHANNEL_TYPE.replicate, 'black-forest-labs/flux-schnell', 'url'],
  ])('%i %s: a picture by its %s', async (type, model, member) => {
    const response = await ask(type, model, '/v1/images/generations', {
      prompt: 'a gate',
      size: '1024x1024',
    });
    const { data } = (await response.json()) as { data: Record<string, string>[] };
    expect([response.status, data.length, Object.keys(data[0] ?? {})]).toEqual([200, 1, [member]]);
  });

  test('35 MiniMax: speech is a file', async () => {
    const body = { input: 'hello', voice: 'male-1', response_format: 'mp3' };
    const response = await ask(35, 'speech-02', '/v1/audio/speech', body);
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['audio/mpeg', 'sound']);
    expect(served().body).toMatchObject({ text: 'hello', voice_setting: { voice_id: 'male-1' } });
  });
});

describe('18 Xunfei Spark', () => {
  const key = `${SPARK_KEY.appId}|${SPARK_KEY.apiSecret}|${SPARK_KEY.apiKey}`;
  const channel = (name: string, ownKey: string) =>
    relay.channel({
      type: sparkType,
      name,
      base_url: spark.url,
      models: [name],
      key: ownKey,
      fields: { model_mapping: JSON.stringify({ [name]: 'SparkDesk-v3.5' }) },
    });

  beforeAll(async () => {
    await relay.settings.set('ModelRatio', JSON.stringify({ p18: 1, 'p18-bad': 1, 'p18-poor': 1 }), 0);
    await channel('p18', key);
    await channel('p18-bad', key.replace(SPARK_KEY.apiSecret, 'another'));
    await channel('p18-poor', key);
  });

  test('a whole answer and a stream over a signed socket, with usage', async () => {
    const whole = await post('p18');
    const answer = (await whole.json()) as {
      choices: { message: { content: string } }[];
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    expect([whole.status, answer.choices[0]?.message.content]).toEqual([200, spoken]);
    expect([answer.usage.prompt_tokens, answer.usage.completion_tokens]).toEqual([
      spark.inputTokens,
      spark.outputTokens,
    ]);
    expect(spark.paths).toEqual(['/v3.5/chat']);
    expect(spark.questions[0]).toMatchObject({
      header: { app_id: SPARK_KEY.appId },
      parameter: { chat: { domain: 'generalv3.5', max_tokens: 40 } },
      payload: {
        message: {
          text: [
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content: 'Say hello.' },
          ],
        },
      },
    });
    const chunks = await chunksOf(
      await post('p18', { stream: true, stream_options: { include_usage: true } }),
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(spoken);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(DEFAULT_PIECES.length);
  });

  test('a wrong signature is refused at the handshake, an empty account in the first message; both switch the channel off', async () => {
    const status = (name: string) =>
      relay.store.db
        .selectFrom('channels')
        .select('status')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
    expect((await post('p18-bad')).status).toBe(502);
    expect(
      (
        await eventually(
          () => status('p18-bad'),
          (row) => row.status === 3,
        )
      ).status,
    ).toBe(3);
    spark.failWith = 11_200;
    expect((await post('p18-poor', { stream: true })).status).toBe(502);
    expect(
      (
        await eventually(
          () => status('p18-poor'),
          (row) => row.status === 3,
        )
      ).status,
    ).toBe(3);
  });
});

test('a model that is there for something else is refused clearly and at once', async () => {
  await relay.settings.set('ModelRatio', JSON.stringify({ 'kling-v2-1': 1, p38: 1, 'no-such-model': 1 }), 0);
  await relay.channel({ type: CHANNEL_TYPE.kling, name: 'film', models: ['kling-v2-1'] });
  for (const model of ['kling-v2-1', 'p38']) {
    const response = await post(model);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code, error.message]).toEqual([
      400,
      'model_not_here',
      expect.stringContaining(`The model ${model} cannot be called at this endpoint`),
    ]);
  }
  expect((await post('no-such-model')).status).toBe(404);
});
