// What the relay accepts and refuses before a charge: bodies, numbers, names, paths, words; and the other endpoints
// (models, billing figures, playground, CORS).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync, deflateSync } from 'node:zlib';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;
const messages = [{ role: 'user', content: 'hi' }];
const good = { model: 'gpt-4o', messages };

beforeAll(async () => {
  relay = await startRelay();
  await relay.channel();
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

const chat = (body: unknown, headers: Record<string, string> = {}) =>
  relay.post('/v1/chat/completions', token.key, body, headers);
const codeOf = async (response: Response) => {
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return { status: response.status, code: error?.code, param: error?.param };
};
const lastBody = () => relay.mock.requests.at(-1)?.body as Record<string, unknown>;

describe('bodies', () => {
  test('a request that needs no change is forwarded byte for byte', async () => {
    const text = `{ "messages":[ {"role":"user","content":"caf\\u00e9 \\ud83d\\ude00"} ],\n\t"model" : "gpt-4o" , "x":1.50 }`;
    const seen: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        seen.push(await request.text());
        return Response.json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
      },
    });
    const model_mapping = '{"mapped":"gpt-9"}';
    await relay.channel({
      base_url: `http://127.0.0.1:${server.port}`,
      models: ['plain', 'mapped'],
      fields: { model_mapping },
    });
    await relay.settings.set('ModelRatio', '{"plain":1,"mapped":1,"rerank-1":1}', 0);
    await chat(text.replace('gpt-4o', 'plain'));
    await chat(text.replace('gpt-4o', 'mapped'));
    await server.stop(true);
    expect(seen).toEqual([text.replace('gpt-4o', 'plain'), text.replace('gpt-4o', 'gpt-9')]);
  });

  test('usage is requested in streams without changing the rest', async () => {
    await (await chat({ ...good, stream: true, stream_options: { include_obfuscation: false } })).text();
    expect(lastBody()['stream_options']).toEqual({ include_obfuscation: false, include_usage: true });
    await (await chat({ ...good, stream: true })).text();
    expect(lastBody()['stream_options']).toEqual({ include_usage: true });
    await (await chat(good)).text();
    expect(lastBody()).not.toHaveProperty('stream_options');
  });

  test('S10 fields that choose a supplier or a key are removed; an object of preferences stays (plan S10)', async () => {
    const routing = {
      api_base: 'http://evil',
      base_url: 'x',
      api_key: 'sk-x',
      custom_llm_provider: 'y',
      provider: 'z',
    };
    await (await chat({ ...routing, ...good, api_version: 1 })).text();
    expect(Object.keys(lastBody()).sort()).toEqual(['messages', 'model']);
    await (await chat({ ...good, provider: { order: ['a'] } })).text();
    expect(lastBody()['provider']).toEqual({ order: ['a'] });
    faultSeen('S10', `${Object.keys(routing).length + 1} routing fields: removed before the upstream`);
  });

  test('S10 headers of the caller are not forwarded, except those the API defines (plan S10)', async () => {
    await chat(good, {
      'X-Forwarded-For': '1.2.3.4',
      Cookie: 'a=b',
      'X-Custom': 'c',
      'OpenAI-Beta': 'assistants=v2',
    });
    const names = Object.keys(relay.mock.requests.at(-1)?.headers ?? {}).sort();
    expect(names).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'openai-beta',
      'user-agent',
    ]);
    expect(relay.mock.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-upstream');
    faultSeen('S10', 'cookies, addresses and other headers of the caller: not forwarded');
  });

  test.each<[string, (text: string) => Uint8Array]>([
    ['gzip', (text) => gzipSync(text)],
    ['deflate', (text) => deflateSync(text)],
    // Its highest quality, the default, takes seconds of processor time for 70 MB.
    ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', (text) => zstdCompressSync(text)],
  ])(
    'D8 a body in %s is understood; a bomb is 413; nonsense is 400 (plan D8)',
    async (encoding, compress) => {
      const send = (body: Uint8Array) =>
        fetch(`${relay.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token.key}`, 'Content-Encoding': encoding },
          body,
        });
      expect((await send(compress(JSON.stringify(good)))).status).toBe(200);
      const bomb = compress(`{"x":"${'a'.repeat(70 * 1024 * 1024)}"}`);
      expect(bomb.length).toBeLessThan(1024 * 1024);
      expect((await send(bomb)).status).toBe(413);
      faultSeen('D8', `${encoding}: 70 MB in ${Math.round(bomb.length / 1000)} kB refused`);
      expect((await send(new TextEncoder().encode('nonsense'))).status).toBe(400);
    },
  );

  test('D8 unknown and nested encodings are 415 (plan D8)', async () => {
    const before = relay.mock.requests.length;
    for (const encoding of ['compress', 'gzip, gzip', 'x']) {
      expect((await chat('{}', { 'Content-Encoding': encoding })).status).toBe(415);
    }
    expect(relay.mock.requests.length).toBe(before);
    faultSeen('D8', 'unknown and nested encodings: 415');
  });

  test('D7 a body over the limit is refused, with and without Content-Length (plan D7)', async () => {
    const announced = await fetch(`${relay.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.key}` },
      body: new Uint8Array(65 * 1024 * 1024),
    });
    expect(announced.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 200) controller.close();
        else controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
      },
    });
    const chunked = await fetch(`${relay.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.key}` },
      body: endless,
    }).catch(() => undefined);
    expect(chunked === undefined || chunked.status === 413).toBe(true);
    expect(sent).toBeWithin(64, 200);
    faultSeen('D7', `65 MB announced, and ${sent} MB without a length: 413`);
  });

  test('D10 depth, members, prototypes and repeated names are 400, and nothing is sent (plan D10)', async () => {
    const before = relay.mock.requests.length;
    const deep = `{"model":"gpt-4o","messages":${'['.repeat(5_000_000)}`;
    const wide = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
    const bodies = [
      deep,
      wide,
      '{"model":"gpt-4o","model":"gpt-4o-mini","messages":[]}',
      '{"model":"gpt-4o","mod\\u0065l":"gpt-4o-mini","messages":[]}',
      '{"model":"gpt-4o","max_tokens":1,"max_tokens":100000,"messages":[]}',
      '{"__proto__":{"model":"x"},"model":"gpt-4o","messages":[]}',
      '[]',
      '"x"',
      'null',
      '{',
      '{"model"}',
      '{"model":"gpt-4o"',
      '{"a":1,}',
      '',
    ];
    for (const body of bodies) expect((await chat(body)).status).toBe(400);
    expect(relay.mock.requests.length).toBe(before);
    expect(await relay.holds()).toBe(0);
    faultSeen(
      'D10',
      `depth of 5 million, a million members, repeated names: ${bodies.length} bodies refused`,
    );
  }, 60_000);

  test.each([
    ['max_tokens', 1e308],
    ['max_tokens', -1],
    ['max_tokens', 0],
    ['max_tokens', '9'],
    ['max_tokens', 1.5],
    ['max_completion_tokens', -1],
    ['n', -5],
    ['n', 0],
    ['n', 1000],
    ['n', '2'],
    ['stream', 'true'],
    ['stream_options', 5],
  ])('M14 %s = %p is 400 and holds nothing (plan M14)', async (field, value) => {
    const response = await chat({
      ...good,
      ...(field === 'stream_options' ? { stream: true } : {}),
      [field]: value,
    });
    expect(await codeOf(response)).toEqual({ status: 400, code: 'invalid_field', param: field });
    expect(await relay.holds()).toBe(0);
    faultSeen('M14', `${field} ${JSON.stringify(value)}`);
  });

  test.each([
    ['1 MB', 'x'.repeat(1_000_000)],
    ['257 characters', 'x'.repeat(257)],
    ['a line break', 'gpt-4o\r\nX: y'],
    ['NUL', 'gpt\u00004o'],
    ['a path', '../../etc/passwd'],
    ['an encoded line break', 'gpt%0d%0a'],
  ])('D12 a model name with %s is 400 and not stored (plan D12)', async (_what, model) => {
    expect(await codeOf(await chat({ ...good, model }))).toMatchObject({
      status: 400,
      code: 'invalid_model',
    });
    await relay.relay.core.refusals.flush();
    const { rows } = await sql<{ longest: number }>`select coalesce(max(length(model_name)), 0) as longest
      from refused_calls`.execute(relay.store.db);
    expect(rows[0]?.longest).toBeLessThanOrEqual(256);
    expect(relay.logged.filter((line) => line.length > 4000)).toEqual([]);
    faultSeen('D12', 'names of 1 MB, of 257 characters, with control characters, with a path: 400');
  });

  test('the error for a missing model names the field, and so does the one for a number as the name', async () => {
    expect(await codeOf(await chat({ messages }))).toEqual({
      status: 400,
      code: 'model_required',
      param: 'model',
    });
    expect(await codeOf(await chat({ messages, model: 5 }))).toEqual({
      status: 400,
      code: 'invalid_field',
      param: 'model',
    });
  });

  test('D16 multipart with a bad boundary, a flood of parts or none at all is 400 (plan D16)', async () => {
    const send = (contentType: string, body: string) =>
      relay.post('/v1/audio/transcriptions', token.key, body, { 'Content-Type': contentType });
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
    expect((await send(`multipart/form-data; boundary=${'-'.repeat(71)}`, '')).status).toBe(400);
    expect((await send('multipart/form-data', '')).status).toBe(400);
    expect((await send('multipart/form-data; boundary=x', part.repeat(1000) + '--x--')).status).toBe(400);
    expect((await send('multipart/form-data; boundary=x', 'nothing')).status).toBe(400);
    expect((await send('application/json', '{}')).status).toBe(415);
    // Reading stops at the cap: a hundred times as many parts take no longer than their bytes take to arrive.
    const used = process.cpuUsage();
    expect((await send('multipart/form-data; boundary=x', part.repeat(100_000) + '--x--')).status).toBe(400);
    const milliseconds = Math.round(process.cpuUsage(used).user / 1000);
    expect(milliseconds).toBeLessThan(3000);
    faultSeen(
      'D16',
      `100,000 parts and a boundary of 71 characters: 400, ${milliseconds} ms of processor time`,
    );
  });

  test('a Responses body at the chat address is served as Responses', async () => {
    const response = await chat({ model: 'gpt-4o', input: 'Say hello.' });
    expect(((await response.json()) as { object: string }).object).toBe('response');
    expect(relay.mock.requests.at(-1)?.path).toBe('/v1/responses');
  });
});

describe('sensitive words', () => {
  test('are found in any case, in text and in parts, also in long prompts, and named', async () => {
    await relay.settings.set('SensitiveWords', 'forbidden\n禁词', 0);
    const inParts = [{ role: 'user', content: [{ type: 'text', text: `${'x'.repeat(10_000)} ForBidden` }] }];
    const nested = [
      { role: 'tool', content: [{ type: 'tool_result', content: [{ type: 'text', text: '有禁词。' }] }] },
    ];
    for (const [bad, word] of [
      [[{ role: 'system', content: 'a forbidden word' }], 'forbidden'],
      [inParts, 'forbidden'],
      [nested, '禁词'],
    ] as const) {
      const response = await chat({ ...good, messages: bad });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(word);
    }
    expect((await chat(good)).status).toBe(200);
    const embedding = { model: 'text-embedding-3-small', input: 'forbidden' };
    expect((await relay.post('/v1/embeddings', token.key, embedding)).status).toBe(200);
    await relay.settings.set('CheckSensitiveOnPromptEnabled', 'false', 0);
    expect((await chat({ ...good, messages: inParts })).status).toBe(200);
    await relay.settings.set('SensitiveWords', '', 0);
  });
});

describe('paths', () => {
  const post = (path: string) => relay.post(path, token.key, good);

  test.each([
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/', '/v1/chat/completions'],
    ['/chat/completions', '/v1/chat/completions'],
    ['/embeddings', '/v1/embeddings'],
    ['//v1/chat/completions', '/v1/chat/completions'],
    ['/chat/completions/', '/v1/chat/completions'],
    ['/openai/v1/chat/completions', '/v1/chat/completions'],
    ['/openai/deployments/gpt-4o/chat/completions?api-version=2025-04-01', '/v1/chat/completions'],
    ['/openai/responses?api-version=2025-04-01', '/v1/responses'],
    ['/anthropic/v1/messages', '/v1/messages'],
    ['/v2/rerank', '/v1/rerank'],
  ])('W4 W40 %s is served as %s', async (path, meant) => {
    const answers = await Promise.all([post(path), post(meant)]);
    const [served, right] = await Promise.all(
      answers.map(async (answer) => ({ status: answer.status, body: (await answer.json()) as object })),
    );
    expect(served?.status).toBe(right?.status ?? 0);
    expect(Object.keys(served?.body ?? {})).toEqual(Object.keys(right?.body ?? {}));
  });

  test('a deployment in the path names the model, with the key where Azure’s clients put it (W40)', async () => {
    const path = '/openai/deployments/gpt-4o-mini/chat/completions?api-version=2025-04-01';
    const answer = await fetch(`${relay.url}${path}`, {
      method: 'POST',
      headers: { 'api-key': token.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect([answer.status, ((await answer.json()) as { model: string }).model]).toEqual([200, 'gpt-4o-mini']);
    expect(relay.mock.requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', model: 'gpt-4o-mini' });
  });

  test('the input of a response is counted without a call, and a WebSocket is refused so that clients post (W30)', async () => {
    const counted = await relay.post('/v1/responses/input_tokens', token.key, {
      model: 'gpt-4o',
      input: 'Count these words.',
    });
    const body = (await counted.json()) as { object: string; input_tokens: number };
    expect([counted.status, body.object]).toEqual([200, 'response.input_tokens']);
    expect(body.input_tokens).toBeGreaterThan(2);
    const upgrade = await fetch(`${relay.url}/v1/responses`, {
      headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
    });
    expect(await codeOf(upgrade)).toMatchObject({ status: 426, code: 'websocket_not_served' });
  });

  test('errors for an unknown path and a wrong method use the same format', async () => {
    expect(await codeOf(await post('/v1/nothing'))).toMatchObject({ status: 404, code: 'unknown_route' });
    expect(await codeOf(await post('/v1/uploads'))).toMatchObject({ status: 501, code: 'state_not_kept' });
    const stored = await fetch(`${relay.url}/v1/chat/completions`);
    expect(await codeOf(stored)).toMatchObject({ status: 501, code: 'state_not_kept' });
    const response = await fetch(`${relay.url}/v1/embeddings`);
    expect(await codeOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  test('messages follow Accept-Language, English by default', async () => {
    const read = async (language?: string) => {
      const response = await fetch(
        `${relay.url}/v1/models`,
        language ? { headers: { 'Accept-Language': language } } : {},
      );
      return await response.text();
    };
    expect(await read()).toContain('No API key was given');
    expect(await read('zh-CN,zh;q=0.9')).toContain('未提供令牌');
  });

  test('S22 browsers of any origin may call, without credentials (plan S22)', async () => {
    const preflight = await fetch(`${relay.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Headers': 'authorization,x-title,x-stainless-os',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-os');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const response = await chat(good, { Origin: 'https://app.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('set-cookie')).toBeNull();
    faultSeen('S22', 'relay: any origin, no credentials, no cookie');
  });
});

describe('other endpoints', () => {
  const get = (path: string, key = token.key) =>
    fetch(relay.url + path, { headers: { Authorization: `Bearer ${key}` } });

  test('models: only those the key may call, in both shapes at once', async () => {
    const limited = await relay.token({ model_limits_enabled: 1, model_limits: 'gpt-4o, tts-1,unknown' });
    const list = (await (await get('/v1/models', limited.key)).json()) as Record<string, unknown> & {
      data: { id: string }[];
    };
    expect(list.data.map(({ id }) => id)).toEqual(['gpt-4o', 'tts-1']);
    expect(list).toMatchObject({ object: 'list', has_more: false, first_id: 'gpt-4o', last_id: 'tts-1' });
    expect(list.data[0]).toMatchObject({
      object: 'model',
      type: 'model',
      owned_by: 'openai',
      created: expect.any(Number),
    });
    expect((await get('/v1/models/text-embedding-3-small', limited.key)).status).toBe(404);
    expect((await get('/v1/models', 'sk-wrong')).status).toBe(401);
  });

  test('billing figures, with and without /v1, of the token or of the account', async () => {
    const own = await relay.token({ unlimited_quota: 0, remain_quota: 1_000_000, quota: 5_000_000 });
    await relay
      .sdk(own)
      .chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
    const { quota } = await relay.lastLog(own.userId);
    for (const prefix of ['', '/v1']) {
      const subscription = await get(`${prefix}/dashboard/billing/subscription`, own.key);
      expect(await subscription.json()).toMatchObject({
        object: 'billing_subscription',
        has_payment_method: true,
        hard_limit_usd: 2,
        access_until: 0,
      });
      const usage = await get(
        `${prefix}/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-12-31`,
        own.key,
      );
      expect(await usage.json()).toEqual({ object: 'list', total_usage: (quota * 100) / 500_000 });
    }
    await relay.settings.set('DisplayTokenStatEnabled', 'false', 0);
    expect(await (await get('/dashboard/billing/subscription', own.key)).json()).toMatchObject({
      hard_limit_usd: 10,
    });
    await relay.settings.set('DisplayTokenStatEnabled', 'true', 0);
    const unlimited = await (await get('/dashboard/billing/subscription')).json();
    expect(unlimited).toMatchObject({ hard_limit_usd: 100_000_000 });
  });

  test('the playground: the session’s user pays, the group is chosen, no token is needed or named', async () => {
    const play = (body: object) =>
      fetch(`${relay.url}/pg/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ ...good, ...body }),
      });
    relay.session = null;
    expect((await play({})).status).toBe(401);
    const userId = await relay.user();
    relay.session = { id: userId, username: 'player', role: 1, group: 'default' };
    const response = await play({ group: 'default', max_tokens: 0, temperature: 0.5, stream: true });
    expect(await response.text()).toEndWith('data: [DONE]\n\n');
    expect(Object.keys(lastBody()).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
      'temperature',
    ]);
    expect(await relay.lastLog(userId)).toMatchObject({
      token_id: 0,
      token_name: 'playground-default',
      username: 'player',
    });
    expect((await play({ group: 'secret' })).status).toBe(403);
    relay.session = null;
  });

  test('while draining new calls are refused, running ones end and are charged', async () => {
    const other = await startRelay();
    await other.channel();
    const own = await other.token();
    const slow = {
      ...good,
      stream: true,
      messages: [{ role: 'user', content: '{"mock":{"chunkDelayMilliseconds":30}}' }],
    };
    const running = await other.post('/v1/chat/completions', own.key, slow);
    other.relay.drain();
    const response = await other.post('/v1/chat/completions', own.key, good);
    expect(await codeOf(response)).toMatchObject({ status: 503, code: 'draining' });
    expect(await other.relay.settled(0.05)).toBe(false);
    const [text] = await Promise.all([running.text(), other.relay.settled()]);
    expect(text).toEndWith('data: [DONE]\n\n');
    expect(await other.holds()).toBe(0);
    expect((await other.lastLog(own.userId)).completion_tokens).toBe(15);
    await other[Symbol.asyncDispose]();
  });
});
