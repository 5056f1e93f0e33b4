// Endpoints of formats other than OpenAI's chat, and conversion between two formats: counting, listing, embedding,
// errors in the caller's format, the loss report, strict mode.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';
import { startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;

const claude = 'claude-opus-4-5';
const gemini = 'gemini-2.5-flash';
const chatOnly = 'gpt-4o';

beforeAll(async () => {
  relay = await startRelay();
  await relay.channel({ type: CHANNEL_TYPE.anthropic, models: [claude], name: 'anthropic' });
  await relay.channel({
    type: CHANNEL_TYPE.gemini,
    models: [gemini, 'gemini-embedding-001'],
    name: 'gemini',
  });
  await relay.channel({ type: CHANNEL_TYPE.submodel, models: [chatOnly], name: 'chat' });
  await relay.channel({ type: CHANNEL_TYPE.openAi, models: ['text-embedding-3-small'], name: 'openai' });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

type Json = Record<string, unknown>;

async function call(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json; headers: Headers }> {
  const response = await relay.post(path, token.key, body, headers);
  return { status: response.status, json: (await response.json()) as Json, headers: response.headers };
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(relay.url + path, { headers: { Authorization: `Bearer ${token.key}`, ...headers } });

const hello = (text = 'Say hello') => [{ role: 'user', content: text }];
const contents = (text = 'Say hello') => [{ role: 'user', parts: [{ text }] }];
const lastBody = () => relay.mock.requests.at(-1)?.body as Json;
const lastHeaders = () => relay.mock.requests.at(-1)?.headers ?? {};

describe('counting tokens', () => {
  test('Anthropic counts its own models; others are counted by the gateway; nothing is charged', async () => {
    const { quota } = await relay.userRow(token.userId);
    const before = relay.mock.requests.length;
    const native = await call('/v1/messages/count_tokens', { model: claude, messages: hello() });
    expect(native.json['input_tokens']).toBeGreaterThan(0);
    expect(relay.mock.requests.at(-1)?.path).toBe('/v1/messages/count_tokens');
    const other = await call('/v1/messages/count_tokens', {
      model: chatOnly,
      system: 'You are brief.',
      messages: hello('one two three four five six seven eight'),
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
    });
    expect(other.status).toBe(200);
    expect(other.json['input_tokens']).toBeGreaterThan(10);
    expect(relay.mock.requests.length).toBe(before + 1);
    expect((await relay.userRow(token.userId)).quota).toBe(quota);
    expect(await relay.holds()).toBe(0);
  });

  test('Gemini counts its own models, others are counted by the gateway', async () => {
    const native = await call(`/v1beta/models/${gemini}:countTokens`, { contents: contents() });
    expect(native.json['totalTokens']).toBeGreaterThan(0);
    expect(relay.mock.requests.at(-1)?.path).toEndWith(':countTokens');
    const generateContentRequest = { contents: contents('one two three'), systemInstruction: { parts: [] } };
    const other = await call(`/v1beta/models/${chatOnly}:countTokens`, { generateContentRequest });
    expect(other.json['totalTokens']).toBeGreaterThan(2);
  });

  test('counts among the requests of the token’s limit', async () => {
    const limited = await relay.token({ requests_per_minute: 2 });
    const count = () =>
      relay.post('/v1/messages/count_tokens', limited.key, { model: chatOnly, messages: hello() });
    expect([(await count()).status, (await count()).status]).toEqual([200, 200]);
    const refused = await count();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });

  test('an invalid request is refused by the upstream’s count, an upstream that is down is not used', async () => {
    const wrong = await call('/v1/messages/count_tokens', { model: claude, messages: [] });
    expect(wrong.status).toBe(400);
    const undo = relay.mock.behave({ when: { path: 'count_tokens' }, behaviour: { status: 500 } });
    const counted = await call('/v1/messages/count_tokens', { model: claude, messages: hello() });
    undo();
    expect(counted.json['input_tokens']).toBeGreaterThan(0);
  });
});

describe('models and paths', () => {
  test('the list in Gemini’s shape, by its path or its key', async () => {
    const byPath = (await (await get('/v1beta/models')).json()) as { models: { name: string }[] };
    expect(byPath.models.map(({ name }) => name)).toContain(`models/${claude}`);
    const byKey = await fetch(`${relay.url}/v1/models`, { headers: { 'x-goog-api-key': token.key } });
    expect(await byKey.json()).toEqual(byPath);
    const byQuery = await fetch(`${relay.url}/v1/models?key=${token.key}`);
    expect(await byQuery.json()).toEqual(byPath);
    expect(await (await get(`/v1beta/models/${gemini}`)).json()).toMatchObject({ name: `models/${gemini}` });
    expect((await get('/v1beta/models/nobody')).status).toBe(404);
  });

  test('the list for other callers is OpenAI’s and Anthropic’s at once', async () => {
    const list = (await (await get('/v1/models', { 'anthropic-version': '2023-06-01' })).json()) as Json;
    expect(list).toMatchObject({ object: 'list', has_more: false });
    const entry = (list['data'] as Json[]).find(({ id }) => id === claude);
    expect(entry).toMatchObject({ object: 'model', type: 'model', display_name: claude });
    expect(entry?.['supported_endpoint_types']).toEqual(['openai', 'openai-response', 'anthropic', 'gemini']);
    const compatible = (await (await get('/v1beta/openai/models')).json()) as Json;
    expect(compatible['object']).toBe('list');
  });

  test('Google’s path for OpenAI’s clients, and OpenAI’s version with Gemini’s verbs', async () => {
    const chat = await call('/v1beta/openai/chat/completions', { model: gemini, messages: hello() });
    expect(chat.json).toMatchObject({ object: 'chat.completion' });
    const generate = await call(`/v1/models/${claude}:generateContent`, { contents: contents() });
    expect(generate.json['candidates']).toHaveLength(1);
    expect(relay.mock.requests.at(-1)?.path).toBe('/v1/messages');
  });

  test('a stream without alt=sse is one JSON array, unconverted and converted', async () => {
    for (const model of [gemini, claude]) {
      const response = await relay.post(`/v1beta/models/${model}:streamGenerateContent`, token.key, {
        contents: contents(),
      });
      expect(response.headers.get('content-type')).toStartWith('application/json');
      const chunks = (await response.json()) as {
        candidates?: { content: { parts: { text: string }[] }; finishReason?: string }[];
      }[];
      const text = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      expect(text.map((part) => part.text).join('')).toContain('I am a mock model');
      expect(chunks.some(({ candidates }) => candidates?.[0]?.finishReason === 'STOP')).toBe(true);
    }
  });

  test('W4 a path with a doubled or missing version is served in the format that was meant', async () => {
    const wrong: [string, Record<string, unknown>][] = [
      ['/v1/v1/messages', { type: 'error' }],
      ['/messages', { type: 'error' }],
      ['/v1beta/messages', { type: 'error' }],
      ['/v1/messages/', { type: 'error' }],
      ['/v1/v1beta/models/x:generateContent', { error: { status: 'NOT_FOUND' } }],
      ['/models/x:generateContent', { error: { status: 'NOT_FOUND' } }],
      ['/responses/compact', { error: { code: 'model_required' } }],
    ];
    for (const [path, answer] of wrong)
      expect(await (await relay.post(path, token.key, { contents: contents() })).json()).toMatchObject(
        answer,
      );
  });

  test('browsers may send preflights', async () => {
    for (const path of ['/v1/messages', `/v1beta/models/${gemini}:generateContent`, '/v1/responses']) {
      const response = await fetch(relay.url + path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Headers': 'x-api-key,anthropic-version,anthropic-beta,x-goog-api-key',
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-headers')).toContain('anthropic-beta');
    }
  });
});

describe('embeddings', () => {
  test('Gemini’s format to Gemini, one and many', async () => {
    const path = '/v1beta/models/gemini-embedding-001';
    const content = { parts: [{ text: 'hello' }] };
    const one = await call(`${path}:embedContent`, { content, outputDimensionality: 4 });
    expect((one.json['embedding'] as { values: number[] }).values).toHaveLength(4);
    const requests = [content, content].map((each) => ({
      model: 'models/gemini-embedding-001',
      content: each,
    }));
    const many = await call(`${path}:batchEmbedContents`, { requests });
    expect(many.json['embeddings']).toHaveLength(2);
    expect((await relay.lastLog(token.userId)).prompt_tokens).toBeGreaterThan(0);
  });

  test('Gemini’s format to OpenAI', async () => {
    const path = '/v1beta/models/text-embedding-3-small';
    const content = { parts: [{ text: 'hello' }] };
    const one = await call(`${path}:embedContent`, { content });
    expect((one.json['embedding'] as { values: number[] }).values.length).toBeGreaterThan(1);
    const many = await call(`${path}:batchEmbedContents`, { requests: [{ content }, { content }] });
    expect(many.json['embeddings']).toHaveLength(2);
    expect(relay.mock.requests.at(-1)?.path).toBe('/v1/embeddings');
    expect(lastBody()['input']).toEqual(['hello', 'hello']);
  });

  test('OpenAI’s format to Gemini', async () => {
    const answer = await call('/v1/embeddings', { model: 'gemini-embedding-001', input: ['a', 'b'] });
    expect(answer.json['data']).toHaveLength(2);
    expect(relay.mock.requests.at(-1)?.path).toEndWith(':batchEmbedContents');
  });
});

describe('errors in the caller’s format', () => {
  test('without a key', async () => {
    const post = (path: string) => fetch(relay.url + path, { method: 'POST', body: '{}' });
    const anthropic = await post('/v1/messages');
    expect(anthropic.status).toBe(401);
    expect(await anthropic.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    const google = await post(`/v1beta/models/${gemini}:generateContent`);
    expect(google.status).toBe(401);
    expect(await google.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    const openai = await post('/v1/responses');
    expect(await openai.json()).toMatchObject({ error: { code: 'missing_api_key' } });
  });

  test('the error for an invalid field names it, with any upstream format', async () => {
    const wrong = await call('/v1/messages', { model: chatOnly, max_tokens: 10, messages: 'hello' });
    expect(wrong.status).toBe(400);
    expect(wrong.json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect((wrong.json['error'] as Json)['message']).toContain('messages');
    const google = await call(`/v1beta/models/${chatOnly}:generateContent`, { contents: [{ parts: 'x' }] });
    expect(google.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
  });

  test('an empty balance', async () => {
    const poor = await relay.token({ quota: 0 });
    const body = { model: chatOnly, max_tokens: 10, messages: hello() };
    const anthropic = await relay.post('/v1/messages', poor.key, body);
    expect(anthropic.status).toBe(403);
    expect(await anthropic.json()).toMatchObject({ error: { type: 'billing_error' } });
  });
});

describe('headers of the caller', () => {
  test('anthropic-beta and anthropic-version are forwarded to an Anthropic upstream, once', async () => {
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07', 'anthropic-version': '2023-01-01' };
    await call('/v1/messages', { model: claude, max_tokens: 50, messages: hello() }, headers);
    expect(lastHeaders()).toMatchObject(headers);
    await call('/v1/messages', { model: claude, max_tokens: 50, messages: hello() });
    expect(lastHeaders()['anthropic-version']).toBe('2023-06-01');
    await call('/v1/messages', { model: chatOnly, max_tokens: 50, messages: hello() }, headers);
    expect(lastHeaders()).not.toHaveProperty('anthropic-beta');
  });
});

describe('the loss report', () => {
  const lossy = { model: claude, messages: hello(), seed: 7, logit_bias: { 50: 1 } };

  test('losses are in the log, and in a header for callers who ask', async () => {
    const asked = await call('/v1/chat/completions', lossy, { 'x-tollgate-report': '1' });
    expect(asked.status).toBe(200);
    const receipt = JSON.parse(asked.headers.get('x-tollgate-conversion') ?? '{}') as Json;
    expect(receipt).toMatchObject({ from: 'openai-chat', to: 'anthropic-messages' });
    const fields = (receipt['notes'] as Json[]).map(({ field }) => field);
    expect(fields).toContain('seed');
    expect(fields).toContain('logit_bias');
    const row = await relay.lastLog(token.userId);
    expect(JSON.parse(row.other)).toMatchObject({ conversion: receipt });
    const quiet = await call('/v1/chat/completions', lossy);
    expect(quiet.headers.get('x-tollgate-conversion')).toBeNull();
  });

  test('a call without conversion has no loss report', async () => {
    await call('/v1/chat/completions', { model: chatOnly, messages: hello() }, { 'x-tollgate-report': '1' });
    expect(JSON.parse((await relay.lastLog(token.userId)).other)).not.toHaveProperty('conversion');
  });

  test('strict mode refuses a lossy conversion, by header and by setting, and charges nothing', async () => {
    const { quota } = await relay.userRow(token.userId);
    const refused = await call('/v1/chat/completions', lossy, { 'x-tollgate-strict': 'true' });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ error: { code: 'lossy_conversion' } });
    expect((refused.json['error'] as Json)['message']).toContain('seed');
    await relay.settings.set('StrictConversionEnabled', 'true', 0);
    expect((await call('/v1/chat/completions', lossy)).status).toBe(400);
    const waived = await call('/v1/chat/completions', lossy, { 'x-tollgate-strict': 'false' });
    await relay.settings.set('StrictConversionEnabled', 'false', 0);
    expect(waived.status).toBe(200);
    const { quota: after } = await relay.userRow(token.userId);
    const charged = (await relay.lastLog(token.userId)).quota;
    expect(quota - after).toBe(charged);
    const whole = await call(
      '/v1/chat/completions',
      { model: claude, messages: hello(), max_tokens: 100 },
      { 'x-tollgate-strict': '1' },
    );
    expect(whole.status).toBe(200);
  });

  test('strict mode by the token: in every format, from the change on, and waived by the header', async () => {
    const strict = await relay.token({ user_id: token.userId });
    const status = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
      (await relay.post(path, strict.key, body, headers)).status;
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const calls = [
      ['/v1/chat/completions', lossy],
      ['/v1/responses', { model: claude, input: 'hi', truncation: 'auto', service_tier: 'flex' }],
      [`/v1beta/models/${claude}:generateContent`, { contents, generationConfig: { seed: 7 } }],
    ] as const;
    for (const [path, body] of calls) expect([path, await status(path, body)]).toEqual([path, 200]);
    await relay.store.db
      .updateTable('tokens')
      .set({ strict_conversion: 1 })
      .where('id', '=', strict.id)
      .execute();
    await relay.store.changes.announce('tokens', String(strict.id));
    for (const [path, body] of calls) expect([path, await status(path, body)]).toEqual([path, 400]);
    expect(await status('/v1/chat/completions', lossy, { 'x-tollgate-strict': 'false' })).toBe(200);
    expect((await call('/v1/chat/completions', lossy)).status).toBe(200);
  });

  test('in strict mode a channel of the caller’s own format is preferred', async () => {
    await relay.channel({
      type: CHANNEL_TYPE.anthropic,
      models: ['two-ways'],
      name: 'converts',
      priority: 10,
    });
    await relay.channel({ type: CHANNEL_TYPE.submodel, models: ['two-ways'], name: 'passes', priority: 0 });
    await relay.settings.set('ModelRatio', '{"two-ways":1,"rerank-1":1}', 0);
    const body = { model: 'two-ways', messages: hello(), seed: 7 };
    await call('/v1/chat/completions', body);
    expect((await relay.lastLog(token.userId)).channel_name).toBe('converts');
    await call('/v1/chat/completions', body, { 'x-tollgate-strict': '1' });
    expect((await relay.lastLog(token.userId)).channel_name).toBe('passes');
  });
});

describe('usage by class', () => {
  const usage = {
    inputTokens: 1000,
    cachedInputTokens: 300,
    cacheWriteInputTokens: 200,
    cacheWriteHourInputTokens: 50,
    outputTokens: 60,
    reasoningTokens: 0,
  };

  test.each([true, false])(
    'Anthropic’s cache classes are charged one by one (streamed: %p)',
    async (stream) => {
      const body = { model: claude, max_tokens: 100, stream, messages: hello(behaviourMessage({ usage })) };
      await (await relay.post('/v1/messages', token.key, body)).text();
      const { other, quota, prompt_tokens } = await relay.lastLog(token.userId);
      expect(JSON.parse(other)).toMatchObject({
        usage: { input: 500, cacheRead: 300, cacheWrite5m: 150, cacheWrite1h: 50, output: 60 },
      });
      expect(prompt_tokens).toBe(1000);
      // 5 $ in, 25 $ out for a million tokens: cache reads cost a tenth, writes 1.25 and 2 times.
      expect(quota).toBe(Math.round((500 + 30 + 187.5 + 100 + 60 * 5) * 2.5));
    },
  );

  test.each([true, false])('Gemini’s thoughts are charged beside its text (streamed: %p)', async (stream) => {
    const thinking = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 50, reasoningTokens: 30 };
    const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const text = behaviourMessage({ usage: thinking, reasoning: 'Well, well.', text: 'Yes.' });
    await (
      await relay.post(`/v1beta/models/${gemini}:${verb}`, token.key, { contents: contents(text) })
    ).text();
    expect(JSON.parse((await relay.lastLog(token.userId)).other)).toMatchObject({
      usage: { input: 60, cacheRead: 40, output: 20, reasoning: 30 },
    });
  });
});
