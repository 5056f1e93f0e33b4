// Tests and model lists of channels whose upstream does not use OpenAI's protocol: signed requests, exchanged tokens,
// WebSockets, proxies. The console calls them with the relay's code.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { forEachScene } from './support.ts';
import { startRelay } from '#tests/integration/relay/calls/harness.ts';
import { startSpark, type SparkServer } from '#mock/upstream/spark/server.ts';
import { AWS_KEY, BAIDU_KEY, serviceAccount, SPARK_KEY, TENCENT_KEY } from '#mock/upstream/supplier-keys.ts';
import { startProxy } from '#tests/support/proxy.ts';

setDefaultTimeout(60_000);

const aws = `${AWS_KEY.accessKey}|${AWS_KEY.secretKey}|${AWS_KEY.region}`;

type Fields = Record<string, string>;
type Call = [title: string, type: number, model: string, key: () => string, fields: Fields, path: string];

forEachScene((scene) => {
  const upstream = () => scene().application.client(scene().admin).channelUpstream;
  const request = (path: string, options: { method?: string; body?: unknown } = {}) =>
    scene().application.request(path, { as: scene().admin, language: 'zh', ...options });

  describe('tests', () => {
    const calls: Call[] = [
      ['AWS, Converse', 33, 'nova-pro', () => aws, {}, '/model/eu.amazon.nova-pro-v1%3A0/converse'],
      [
        'AWS, Claude',
        33,
        'claude-sonnet-4-5',
        () => aws,
        {},
        '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
      ],
      [
        'AWS, an embedding',
        33,
        'amazon.titan-embed-text-v2:0',
        () => aws,
        {},
        '/model/amazon.titan-embed-text-v2%3A0/invoke',
      ],
      [
        'Vertex',
        41,
        'gemini-2.5-flash',
        () => serviceAccount(`${scene().upstream.url}/mock-oauth/token`),
        { other: 'us-central1' },
        '/v1/projects/mock-project/locations/us-central1/publishers/google/models/gemini-2.5-flash:generateContent',
      ],
      ['Anthropic', 14, 'claude-sonnet-4-5', () => 'sk-ant', {}, '/v1/messages'],
      ['Gemini', 24, 'gemini-2.5-flash', () => 'AIza', {}, '/v1beta/models/gemini-2.5-flash:generateContent'],
      ['Azure', 3, 'gpt-4o', () => 'azure-key', {}, '/openai/deployments/gpt-4o/chat/completions'],
      ['Tencent', 23, 'hunyuan-turbo', () => `1|${TENCENT_KEY.secretId}|${TENCENT_KEY.secretKey}`, {}, '/'],
      [
        'Baidu',
        15,
        'ERNIE-4.0-8K',
        () => `${BAIDU_KEY.id}|${BAIDU_KEY.secret}`,
        {},
        '/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro',
      ],
      ['Cohere, a reranker', 34, 'rerank-v3.5', () => 'co-key', {}, '/v2/rerank'],
      ['Coze, a stream only', 49, 'coze', () => 'pat', { other: 'mock-bot' }, '/v3/chat'],
      ['Dify', 37, 'dify', () => 'app-key', {}, '/v1/chat-messages'],
      ['Replicate', 56, 'meta/llama-4', () => 'r8', {}, '/v1/models/meta/llama-4/predictions'],
    ];
    test.each(calls)('%s answers a test', async (...[_title, type, model, key, fields, path]) => {
      const channel = await scene().create({ type, models: model, key: key(), ...fields });
      const answer = await upstream().test({ params: { id: channel.id }, query: {} });
      const served = scene().upstream.requests.findLast(({ status }) => status !== 400);
      expect([answer.data.model, served?.path]).toEqual([model, path]);
      expect((await scene().row(channel.id)).response_time).toBeGreaterThan(0);
    });

    test.each([
      ['AWS', 33, 'nova-pro', aws.replace(AWS_KEY.secretKey, 'anothersecretkey'), {}],
      ['Tencent', 23, 'hunyuan-turbo', `1|${TENCENT_KEY.secretId}|anothersecretkey`, {}],
      ['Baidu', 15, 'ERNIE-4.0-8K', `${BAIDU_KEY.id}|anothersecretkey`, {}],
      ['MiniMax', 35, 'MiniMax-M1', 'sk-invalid-anothersecretkey', {}],
    ] as const)(
      '%s refuses in its own format, and the message is shown without the key',
      async (_title, type, model, key, fields) => {
        const channel = await scene().create({ type, models: model, key, ...fields });
        const reply = await request(`/api/channel/test/${channel.id}`);
        expect(reply.body.code).toBe('channel_test_failed');
        expect(reply.body.message).toMatch(/refused|unknown client/);
        expect(reply.body.message).not.toContain('anothersecretkey');
      },
    );

    describe('over a socket', () => {
      let spark: SparkServer;
      beforeAll(() => {
        spark = startSpark();
      });
      afterAll(() => spark.stop());

      test('Spark answers, and the error for a wrong signature says so', async () => {
        const key = `${SPARK_KEY.appId}|${SPARK_KEY.apiSecret}|${SPARK_KEY.apiKey}`;
        const fields = {
          type: CHANNEL_TYPE.spark,
          models: 'SparkDesk-v3.5',
          base_url: spark.url,
          other: 'v2.1',
        };
        const channel = await scene().create({ ...fields, key });
        expect((await upstream().test({ params: { id: channel.id }, query: {} })).data.model).toBe(
          'SparkDesk-v3.5',
        );
        const wrong = await scene().create({ ...fields, key: key.replace(SPARK_KEY.apiSecret, 'x') });
        const reply = await request(`/api/channel/test/${wrong.id}`);
        expect(reply.body.message).toContain('401：HMAC signature does not match');
      });
    });
  });

  describe('lists', () => {
    test.each([
      ['AWS', 33, aws, {}, ['amazon.nova-pro-v1:0', 'anthropic.claude-x']],
      ['Anthropic', 14, 'sk-ant', {}, expect.arrayContaining(['claude-sonnet-4-5'])],
      ['Gemini', 24, 'AIza', {}, expect.arrayContaining(['gemini-2.5-pro'])],
      ['Ollama', 4, 'none', {}, ['llama3.3:latest']],
      ['Cloudflare', 39, 'cf', { other: 'mock-account' }, ['@cf/meta/llama-4-scout']],
      ['Replicate', 56, 'r8', {}, ['meta/llama-4']],
      ['Azure', 3, 'azure', {}, expect.arrayContaining(['gpt-4o'])],
      ['Zhipu v4', 26, 'sk-zhipu', {}, expect.arrayContaining(['gpt-4o'])],
    ] as const)('%s lists its models in its own format', async (_title, type, key, fields, expected) => {
      const channel = await scene().create({ type, key, ...fields });
      const names = await upstream().fetchModels({ params: { id: channel.id } });
      expect([...names]).toEqual(expected as string[]);
    });

    test('the error for a supplier without a list says so, also in the list of types', async () => {
      const channel = await scene().create({ type: CHANNEL_TYPE.dify, models: 'dify' });
      expect((await request(`/api/channel/fetch_models/${channel.id}`)).body.code).toBe(
        'channel_list_unsupported',
      );
      const types = await scene().application.client(scene().admin).channels.types({});
      const facts = (type: number) => types.find((each) => each.type === type);
      expect([facts(37)?.can_list_models, facts(33)?.can_list_models, facts(50)?.can_list_models]).toEqual([
        false,
        true,
        false,
      ]);
      expect(types.filter(({ is_ready }) => !is_ready)).toEqual([]);
    });
  });

  describe('proxies', () => {
    test('a test uses the channel’s proxy, also before it is saved; a broken proxy fails the test', async () => {
      await using proxy = await startProxy();
      const { host } = new URL(scene().upstream.url);
      const channel = await scene().create({ setting: JSON.stringify({ proxy: proxy.url }) });
      await upstream().test({ params: { id: channel.id }, query: {} });
      expect(new Set(proxy.asked)).toEqual(new Set([host]));
      const draft = {
        type: CHANNEL_TYPE.openAi,
        base_url: scene().upstream.url,
        key: 'sk-draft',
        model: 'gpt-4o',
      };
      await upstream().testDraft({ body: { ...draft, setting: JSON.stringify({ proxy: proxy.url }) } });
      expect(proxy.asked.length).toBeGreaterThan(0);
      const gone = await scene().create({ setting: '{"proxy":"http://127.0.0.1:1"}' });
      expect((await request(`/api/channel/test/${gone.id}`)).body.code).toBe('channel_test_failed');
    });

    test('a stored key is used only with its address and proxy: another type or proxy needs the key again', async () => {
      const change = (body: Record<string, unknown>) => request('/api/channel/', { method: 'PUT', body });
      const byType = await scene().create({ type: CHANNEL_TYPE.deepSeek, base_url: '' });
      expect((await change({ id: byType.id, type: CHANNEL_TYPE.moonshot })).body.code).toBe(
        'channel_key_needed_for_address',
      );
      expect(
        (await change({ id: byType.id, type: CHANNEL_TYPE.moonshot, key: 'sk-again-1' })).body.success,
      ).toBe(true);
      const byProxy = await scene().create();
      const proxied = { id: byProxy.id, setting: '{"proxy":"http://127.0.0.1:9"}' };
      expect((await change(proxied)).body.code).toBe('channel_key_needed_for_address');
      expect((await change({ ...proxied, key: 'sk-again-2' })).body.success).toBe(true);
      const secure = await scene().create({ type: CHANNEL_TYPE.deepSeek, base_url: '' });
      expect((await change({ ...proxied, id: secure.id })).body.success).toBe(true);
    });

    test('an invalid proxy address is refused when it is saved', async () => {
      const channel = await scene().create();
      const body = { id: channel.id, setting: '{"proxy":"socks4://a:1"}' };
      const reply = await request('/api/channel/', { method: 'PUT', body });
      expect([reply.body.code, reply.body.message]).toEqual([
        'channel_proxy_invalid',
        '代理地址无效，支持 http、https 和 socks5',
      ]);
    });
  });
});

test('the relay calls a channel through its proxy, token exchanges included', async () => {
  await using proxy = await startProxy();
  await using relay = await startRelay({ settings: { ModelRatio: '{"gemini-2.5-flash":1}' } });
  const setting = JSON.stringify({ proxy: proxy.url });
  await relay.channel({ models: ['gpt-4o'], fields: { setting } });
  await relay.channel({
    type: CHANNEL_TYPE.vertex,
    models: ['gemini-2.5-flash'],
    key: serviceAccount(`${relay.mock.url}/mock-oauth/token`),
    fields: { setting, other: 'us-central1' },
  });
  const token = await relay.token();
  const messages = [{ role: 'user', content: 'hi' }];
  for (const model of ['gpt-4o', 'gemini-2.5-flash']) {
    const response = await relay.post('/v1/chat/completions', token.key, { model, messages });
    expect([model, response.status]).toEqual([model, 200]);
  }
  const { host } = new URL(relay.mock.url);
  // The connection to the mock is reused by both calls.
  expect(new Set(proxy.asked)).toEqual(new Set([host]));
  expect(relay.mock.requests.map(({ path }) => path)).toContain('/mock-oauth/token');
  await relay.channel({ models: ['gpt-4o-mini'], fields: { setting: '{"proxy":"http://127.0.0.1:1"}' } });
  const failed = await relay.post('/v1/chat/completions', token.key, { model: 'gpt-4o-mini', messages });
  expect(failed.status).toBe(502);
});
