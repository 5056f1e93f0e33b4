// Findings of clients and captured traffic (W…), each through the real relay against an upstream that the test scripts.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  chatAnswer,
  event,
  events,
  responsesAnswer,
  startScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamAnswer,
} from './scripted-upstream.ts';

setDefaultTimeout(20_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;
let token: TestToken;

const channelTypes: Readonly<Record<string, number>> = {
  openai: CHANNEL_TYPE.openAi,
  'deepseek-chat': CHANNEL_TYPE.deepSeek,
  'claude-sonnet-4-5': CHANNEL_TYPE.anthropic,
  'gemini-2.5-flash': CHANNEL_TYPE.gemini,
};

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const names = Object.keys(channelTypes);
  relay = await startRelay({
    settings: {
      ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
      RetryTimes: '0',
    },
  });
  token = await relay.token();
  for (const [name, type] of Object.entries(channelTypes))
    await addChannel(relay.store, { type, name, base_url: upstream.url, models: [name], key: 'sk-key' });
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string>) => fetch(relay.url + path, { headers });
const bearer = () => ({ Authorization: `Bearer ${token.key}` });
const chat = { model: 'openai', messages: [{ role: 'user', content: 'Hi' }] };

describe('paths and listings', () => {
  test('W4 a misspelt path is served', async () => {
    upstream.answer = () => chatAnswer();
    const paths = ['/v1/v1/chat/completions', '//v1/chat/completions', '/v1/chat/completions/'];
    for (const path of [...paths, '/chat/completions', '/v1//chat/completions', '/v1beta/chat/completions']) {
      const answer = await relay.post(path, token.key, chat);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    }
  });

  test('W4 model lists at paths without a version or with a slash at the end, and JSON at /v1', async () => {
    for (const path of ['/models', '/v1/models/', '//v1/models', '/v1/v1/models']) {
      const answer = await get(path, bearer());
      expect(await answer.json()).toMatchObject({ object: 'list', data: [{ object: 'model' }, {}, {}, {}] });
    }
    const bare = await get('/v1', bearer());
    expect(bare.status).toBe(404);
    expect(await bare.json()).toMatchObject({ error: { code: 'unknown_route' } });
  });

  test('W8 one model is described in the dialect of the caller, and so are refusals', async () => {
    const google = { 'x-goog-api-key': token.key };
    const anthropic = { 'x-api-key': token.key, 'anthropic-version': '2023-06-01' };
    expect(await (await get('/v1/models/openai', google)).json()).toMatchObject({ name: 'models/openai' });
    const gemini = { error: { code: 404, status: 'NOT_FOUND' } };
    for (const path of ['/v1/models/missing', '/v1beta/foo', '/v1/foo'])
      expect(await (await get(path, google)).json()).toMatchObject(gemini);
    expect(await (await get('/v1beta/foo', {})).json()).toMatchObject(gemini);
    for (const path of ['/v1/models/missing', '/v1/foo'])
      expect(await (await get(path, anthropic)).json()).toMatchObject({
        type: 'error',
        error: { type: 'not_found_error' },
      });
    const wrong = await relay.post('/v1/v1/messages', token.key, { model: 'openai' });
    expect(await wrong.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});

test('W6 a stored prompt or conversation is refused on a converted channel, and nothing is charged', async () => {
  const logs = (await relay.logs(token.userId)).filter(({ type }) => type === 2).length;
  for (const [field, status, code] of [
    ['prompt', 400, 'state_not_here'],
    ['conversation', 404, 'conversation_unknown'],
  ] as const) {
    const body = { model: 'deepseek-chat', [field]: { id: 'pmpt_1' } };
    const answer = await relay.post('/v1/responses', token.key, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code, param: field } });
  }
  expect((await relay.logs(token.userId)).filter(({ type }) => type === 2)).toHaveLength(logs);
  upstream.answer = () => chatAnswer();
  expect(
    (await relay.post('/v1/responses', token.key, { model: 'deepseek-chat', input: 'Hi', prompt: null }))
      .status,
  ).toBe(200);
});

test('W13 Claude Code’s billing line reaches no foreign upstream', async () => {
  upstream.answer = () => chatAnswer();
  const line = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.9; cch=9c2f1;' };
  const system = [line, { type: 'text', text: 'Be kind.' }];
  const body = { model: 'openai', max_tokens: 9, system, messages: chat.messages };
  await relay.post('/v1/messages', token.key, body);
  expect(upstream.last().body['messages']).toEqual([
    { role: 'system', content: 'Be kind.' },
    ...chat.messages,
  ]);
});

describe('streams that end badly', () => {
  const streamOf = async (path: string, body: Record<string, unknown>) =>
    await (await relay.post(path, token.key, { stream: true, ...body })).text();

  test('W10 a native Responses stream that breaks off ends with response.failed', async () => {
    const response = { id: 'resp_9', object: 'response', status: 'in_progress', model: 'm', output: [] };
    upstream.answer = () =>
      events(
        event({ type: 'response.created', sequence_number: 0, response }),
        event({ type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: 'Hel' }),
        event({ type: 'response.output_text.delta', sequence_number: 2, output_index: 0, delta: 'lo' }),
      );
    const last = (await streamOf('/v1/responses', { model: 'openai', input: 'Hi' }))
      .trimEnd()
      .split('\n\n')
      .at(-1);
    const [name, data = ''] = last?.split('\n') ?? [];
    expect(name).toBe('event: response.failed');
    expect(JSON.parse(data.slice('data: '.length))).toMatchObject({
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_9', status: 'failed', error: { code: 'stream_broken' } },
    });
  });

  test('W11 an upstream that is overloaded amid a stream is overloaded for the caller', async () => {
    upstream.answer = () =>
      events(
        event({
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            usage: { input_tokens: 3, output_tokens: 1 },
          },
        }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
        event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      );
    const body = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: chat.messages };
    expect(await streamOf('/v1/messages', body)).toContain('"type":"overloaded_error"');
    expect(await streamOf('/v1/chat/completions', body)).toContain('"code":"channels_busy"');
  });
});

describe('W11 smaller things clients expect', () => {
  test('W11 an unknown model is 404 model_not_found in every dialect', async () => {
    const answer = await relay.post('/v1/responses', token.key, { model: 'gpt-none', input: 'Hi' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'model_not_found' },
    });
  });

  test('W11 request-id, the api-key header, and pages of models', async () => {
    const first = await get('/v1/models?limit=2', { 'api-key': token.key });
    expect(first.headers.get('request-id')).toBe(first.headers.get('x-request-id'));
    const page = (await first.json()) as { data: { id: string }[]; has_more: boolean; last_id: string };
    expect([page.data.length, page.has_more]).toEqual([2, true]);
    const second = await get(`/v1/models?limit=2&after_id=${page.last_id}`, bearer());
    const rest = (await second.json()) as typeof page;
    expect(rest.data.length).toBe(2);
    expect(rest.data[0]?.id).not.toBe(page.data[0]?.id);
    const gemini = (await (await get('/v1beta/models?pageSize=3', bearer())).json()) as {
      models: unknown[];
      nextPageToken: string;
    };
    expect(gemini.models).toHaveLength(3);
    const after = await get(`/v1beta/models?pageSize=3&pageToken=${gemini.nextPageToken}`, bearer());
    expect(await after.json()).toMatchObject({ models: [{ displayName: 'openai' }] });
  });

  test('W11 a wait that Google names in its error reaches the caller', async () => {
    upstream.answer = () =>
      Response.json(
        {
          error: {
            code: 429,
            status: 'RESOURCE_EXHAUSTED',
            message: 'Quota',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.2s' }],
          },
        },
        { status: 429 },
      );
    const path = '/v1beta/models/gemini-2.5-flash:generateContent';
    const answer = await relay.post(path, token.key, { contents: [{ parts: [{ text: 'Hi' }] }] });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '35']);
    expect(await answer.text()).toContain('"retryDelay":"35s"');
  });
});

describe('W18 W19 calls that must not be answered wrongly', () => {
  const charged = async () => (await relay.logs(token.userId)).filter(({ type }) => type === 2).length;

  test('W18 an attachment that cannot reach the upstream is refused, and nothing is sent or charged', async () => {
    const before = await charged();
    upstream.requests.length = 0;
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is said?' }, audio] }];
    const sound = await relay.post('/v1/chat/completions', token.key, {
      model: 'claude-sonnet-4-5',
      messages,
    });
    expect(sound.status).toBe(400);
    expect(await sound.json()).toMatchObject({ error: { code: 'attachment_lost', param: 'content.audio' } });
    // A document by address is fetched for a chat; this one leads to no public address.
    const content = [{ type: 'input_file', file_url: `${upstream.url}/a.pdf` }];
    const body = { model: 'deepseek-chat', input: [{ role: 'user', content }] };
    const document = await relay.post('/v1/responses', token.key, body);
    expect(document.status).toBe(400);
    expect(await document.text()).toContain('an address could not be read');
    expect(upstream.requests).toEqual([]);
    expect(await charged()).toBe(before);
  });

  test('W19 limits of 0, endpoints that are not there, and moderation without a model', async () => {
    upstream.answer = () => chatAnswer();
    const unlimited = await relay.post('/v1/chat/completions', token.key, {
      ...chat,
      max_completion_tokens: 0,
    });
    expect(unlimited.status).toBe(200);
    const absent = await relay.post('/v1/vector_stores', token.key, {});
    expect([absent.status, absent.headers.get('x-should-retry')]).toEqual([501, 'false']);
    const name = 'omni-moderation-latest';
    await relay.settings.set('ModelPrice', JSON.stringify({ [name]: 0 }), 0);
    await addChannel(relay.store, {
      type: CHANNEL_TYPE.openAi,
      name,
      base_url: upstream.url,
      models: [name],
      key: 'sk-key',
    });
    await relay.relay.reload();
    upstream.answer = () => Response.json({ id: 'modr-1', model: name, results: [{ flagged: false }] });
    expect((await relay.post('/v1/moderations', token.key, { input: 'Hi' })).status).toBe(200);
    expect(upstream.last().body['model']).toBe(name);
  });

  test('W19 an empty answer to a deletion is a deletion', async () => {
    const stored = { id: 'resp_del', object: 'response', status: 'completed', model: 'm', output: [] };
    upstream.answer = ({ method }) =>
      method === 'DELETE'
        ? new Response(null)
        : Response.json({ ...stored, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } });
    await relay.post('/v1/responses', token.key, { model: 'openai', input: 'Hi' });
    const gone = await fetch(`${relay.url}/v1/responses/resp_del`, { method: 'DELETE', headers: bearer() });
    expect(await gone.json()).toEqual({ id: 'resp_del', object: 'response', deleted: true });
  });
});

describe('W2 what an upstream speaks is learned', () => {
  const notFound = () => new Response('404 page not found', { status: 404 });
  /** A server of one path only, as most compatible ones are. */
  const only =
    (path: string, answer: () => Response): UpstreamAnswer =>
    (request) =>
      request.path === path ? answer() : notFound();
  const learned = (id: number) =>
    relay.store.db.selectFrom('channels').select('refused_formats').where('id', '=', id).executeTakeFirst();

  async function channelFor(model: string, fields: Partial<Parameters<typeof addChannel>[1]> = {}) {
    await relay.settings.set('ModelRatio', JSON.stringify({ openai: 1, [model]: 1 }), 0);
    const wish = { name: model, base_url: upstream.url, models: [model], key: 'sk-key', ...fields };
    const id = await addChannel(relay.store, wish);
    await relay.relay.reload();
    return id;
  }

  test('W2 a Responses client on a server of Chat only is converted, and the refusal remembered', async () => {
    const id = await channelFor('qwen-local');
    upstream.answer = only('/v1/chat/completions', () => chatAnswer());
    upstream.requests.length = 0;
    for (let call = 0; call < 2; call += 1) {
      const answer = await relay.post('/v1/responses', token.key, { model: 'qwen-local', input: 'Hi' });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ object: 'response', status: 'completed' });
      await eventually(
        async () => await learned(id),
        (row) => row?.refused_formats === 'openai-responses',
      );
      await relay.relay.reload();
    }
    const asked = upstream.requests.map(({ path }) => path);
    expect(asked).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions']);
    const row = await relay.lastLog(token.userId);
    expect([row.prompt_tokens, row.completion_tokens]).toEqual([5, 2]);
  });

  test('W2 a stream is converted too', async () => {
    await channelFor('qwen-stream');
    const chunk = (choices: unknown[], usage?: unknown) =>
      event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, usage });
    upstream.answer = only('/v1/chat/completions', () =>
      events(
        chunk([{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }]),
        chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
        chunk([], { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }),
        'data: [DONE]\n\n',
      ),
    );
    const body = { model: 'qwen-stream', input: 'Hi', stream: true };
    const streamed = await (await relay.post('/v1/responses', token.key, body)).text();
    expect(streamed).toContain('event: response.completed');
  });

  test('W2 an unknown model is no refused format', async () => {
    const id = await channelFor('missing-model');
    upstream.answer = () =>
      Response.json(
        { error: { message: 'The model `missing-model` does not exist', code: 'model_not_found' } },
        { status: 404 },
      );
    upstream.requests.length = 0;
    const answer = await relay.post('/v1/responses', token.key, { model: 'missing-model', input: 'Hi' });
    expect(answer.status).toBe(404);
    expect(upstream.requests).toHaveLength(1);
    expect((await learned(id))?.refused_formats).toBe('');
  });

  test('W2 a server that refuses every path teaches nothing', async () => {
    const id = await channelFor('wrong-address');
    upstream.answer = notFound;
    const answer = await relay.post('/v1/responses', token.key, { model: 'wrong-address', input: 'Hi' });
    expect(answer.status).toBe(404);
    expect((await learned(id))?.refused_formats).toBe('');
  });

  test('a server of Responses only is found by callers of every format, and its outage is its own error (W35)', async () => {
    const id = await channelFor('responses-only');
    const bodies: [string, Record<string, unknown>][] = [
      ['/v1/chat/completions', { model: 'responses-only', messages: chat.messages }],
      ['/v1/messages', { model: 'responses-only', max_tokens: 9, messages: chat.messages }],
      ['/v1beta/models/responses-only:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
    ];
    const failing = () => Response.json({ error: { message: 'Internal error' } }, { status: 500 });
    upstream.answer = only('/v1/responses', failing);
    for (const [path, body] of bodies) {
      const answer = await relay.post(path, token.key, body);
      expect([path, answer.status]).toEqual([path, 500]);
      await answer.text();
      relay.relay.core.breaker.succeeded(id);
    }
    // An outage teaches nothing.
    expect((await learned(id))?.refused_formats).toBe('');
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    upstream.answer = only('/v1/responses', () => responsesAnswer(usage));
    for (const [path, body] of bodies) {
      const answer = await relay.post(path, token.key, body);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).toContain('Hello.');
    }
    await eventually(
      async () => await learned(id),
      (row) => row?.refused_formats === 'openai-chat',
    );
    await relay.relay.reload();
    upstream.requests.length = 0;
    for (const [path, body] of bodies) await relay.post(path, token.key, body);
    expect(upstream.requests.map(({ path }) => path)).toEqual(bodies.map(() => '/v1/responses'));
  });

  test('W2 the operator decides: formats of the channel’s setting', async () => {
    await channelFor('fixed', { fields: { setting: JSON.stringify({ formats: ['openai-chat'] }) } });
    upstream.answer = () => chatAnswer();
    await relay.post('/v1/responses', token.key, { model: 'fixed', input: 'Hi' });
    expect(upstream.last().path).toBe('/v1/chat/completions');
  });

  test('W2 a custom channel with a whole address gets the format of its path', async () => {
    const type = CHANNEL_TYPE.custom;
    await channelFor('whole', { type, base_url: `${upstream.url}/openai/v2/chat/completions` });
    upstream.answer = () => chatAnswer();
    const answer = await relay.post('/v1/responses', token.key, { model: 'whole', input: 'Hi' });
    expect(await answer.json()).toMatchObject({ object: 'response' });
    expect(upstream.last().body).toMatchObject({ messages: [{ role: 'user', content: 'Hi' }] });
    const embeddings = await relay.post('/v1/embeddings', token.key, { model: 'whole', input: 'Hi' });
    expect(embeddings.status).toBe(400);
  });
});

test('W11 sound models are listed without chat, and the realtime beta named as a protocol is passed on', async () => {
  await relay.channel({ models: ['gpt-realtime', 'whisper-1', 'tts-1'] });
  const { data } = (await (await get('/v1/models', bearer())).json()) as {
    data: { id: string; supported_endpoint_types: string[] }[];
  };
  const typesOf = (id: string) => data.find((model) => model.id === id)?.supported_endpoint_types;
  expect([typesOf('whisper-1'), typesOf('tts-1')]).toEqual([[], []]);
  const protocols = ['realtime', `openai-insecure-api-key.${token.key}`, 'openai-beta.realtime-v1'];
  const socket = new WebSocket(
    `${relay.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`,
    protocols,
  );
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  expect(relay.mock.requests.at(-1)?.headers['openai-beta']).toBe('realtime=v1');
  socket.close();
});
