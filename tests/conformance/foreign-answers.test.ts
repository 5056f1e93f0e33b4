// Answers with a status of success that are not of the endpoint's format: the page of a proxy or of a parked domain, plain
// text, nothing, JSON of another shape. Each is a failed attempt.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
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
  geminiAnswer,
  messagesAnswer,
  responsesAnswer,
  startScriptedUpstream,
  type ScriptedUpstream,
} from './scripted-upstream.ts';

setDefaultTimeout(30_000);

let relay: RelayHarness;
let foreign: ScriptedUpstream;
let good: ScriptedUpstream;
let token: TestToken;
let foreignId: number;

const types = {
  'm-chat': CHANNEL_TYPE.openAi,
  'm-messages': CHANNEL_TYPE.anthropic,
  'm-gemini': CHANNEL_TYPE.gemini,
} as const;

beforeAll(async () => {
  foreign = startScriptedUpstream();
  good = startScriptedUpstream();
  const names = [...Object.keys(types), 'm-alone'];
  relay = await startRelay({
    settings: {
      ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
      RetryTimes: '1',
    },
  });
  token = await relay.token();
  for (const [name, type] of Object.entries(types)) {
    await addChannel(relay.store, { type, base_url: good.url, models: [name], key: 'sk-good' });
    await addChannel(relay.store, {
      type,
      base_url: foreign.url,
      models: [name],
      key: 'sk-foreign',
      priority: 10,
    });
  }
  const alone = { type: CHANNEL_TYPE.openAi, models: ['m-alone'], key: 'sk-foreign' };
  foreignId = await addChannel(relay.store, { ...alone, base_url: foreign.url });
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
  await good[Symbol.asyncDispose]();
});
beforeEach(async () => {
  // Every call of this file meets the foreign upstream first.
  for (const { id } of await relay.store.db.selectFrom('channels').select('id').execute())
    relay.relay.core.breaker.succeeded(id);
  foreign.requests.length = 0;
  good.requests.length = 0;
});

const typed = (type: string, body: string): (() => Response) => {
  return () => new Response(body, { headers: { 'Content-Type': type } });
};

const page = '<!doctype html><html><head><title>Domain parked</title></head><body>Buy it</body></html>';
const foreignAnswers: Readonly<Record<string, () => Response>> = {
  'a page': typed('text/html; charset=utf-8', page),
  'a page called JSON': typed('application/json', page),
  'a page called plain text': typed('text/plain', page),
  'plain text': typed('text/plain', 'It works!'),
  nothing: typed('application/json', ''),
  'nothing of no type': () => new Response(null),
  'JSON of another shape': typed('application/json', '{"success":true,"data_":{"hello":1}}'),
  'a JSON word': typed('application/json', '"ok"'),
};

const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const picture = { created: 1, data: [{ b64_json: 'aGk=' }] };

interface Endpoint {
  path: string;
  body: Record<string, unknown>;
  answer: () => Response;
  /** Further answers that are none of this endpoint. */
  none?: Readonly<Record<string, () => Response>>;
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'm-chat', messages: [{ role: 'user', content: 'Hi' }] },
    answer: () => chatAnswer(),
    none: {
      'no choice': () => Response.json({ id: 'x', object: 'chat.completion', choices: [], usage }),
      'no choice and no usage': () => Response.json({ choices: [] }),
    },
  },
  completions: {
    path: '/v1/completions',
    body: { model: 'm-chat', prompt: 'Hi' },
    answer: () => Response.json({ object: 'text_completion', choices: [{ index: 0, text: 'x' }], usage }),
    none: { 'no choice': () => Response.json({ choices: [] }) },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm-chat', input: 'Hi' },
    answer: () => responsesAnswer({ input_tokens: 5, output_tokens: 2, total_tokens: 7 }),
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'm-messages', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    answer: () => messagesAnswer({ input_tokens: 5, output_tokens: 2 }),
  },
  gemini: {
    path: '/v1beta/models/m-gemini:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    answer: () => geminiAnswer({ promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 }),
    none: { 'no candidate': () => Response.json({ candidates: [], usageMetadata: {} }) },
  },
  'messages converted to chat': {
    path: '/v1/messages',
    body: { model: 'm-chat', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
    answer: () => chatAnswer(),
    none: { 'no choice': () => Response.json({ object: 'chat.completion', choices: [], usage }) },
  },
  'chat converted to messages': {
    path: '/v1/chat/completions',
    body: { model: 'm-messages', messages: [{ role: 'user', content: 'Hi' }] },
    answer: () => messagesAnswer({ input_tokens: 5, output_tokens: 2 }),
  },
  'chat converted to gemini': {
    path: '/v1/chat/completions',
    body: { model: 'm-gemini', messages: [{ role: 'user', content: 'Hi' }] },
    answer: () => geminiAnswer({ promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 }),
  },
  embeddings: {
    path: '/v1/embeddings',
    body: { model: 'm-chat', input: 'Hi' },
    answer: () => Response.json({ object: 'list', data: [{ index: 0, embedding: [0.5] }], usage }),
    none: { 'no vector': () => Response.json({ object: 'list', data: [] }) },
  },
  rerank: {
    path: '/v1/rerank',
    body: { model: 'm-chat', query: 'Hi', documents: ['a'] },
    answer: () => Response.json({ results: [{ index: 0, relevance_score: 0.5 }], usage }),
  },
  images: {
    path: '/v1/images/generations',
    body: { model: 'm-chat', prompt: 'Hi' },
    answer: () => Response.json(picture),
    none: { 'no picture': () => Response.json({ created: 1, data: [] }) },
  },
  moderations: {
    path: '/v1/moderations',
    body: { model: 'm-chat', input: 'Hi' },
    answer: () => Response.json({ id: 'modr-1', results: [{ flagged: false }] }),
  },
  speech: {
    path: '/v1/audio/speech',
    body: { model: 'm-chat', input: 'Hi', voice: 'alloy' },
    answer: typed('audio/mpeg', 'ID3 sound'),
  },
};

const charges = async () => (await relay.logs(token.userId)).filter(({ type }) => type === 2);

describe.each(Object.entries(endpoints))('%s', (_name, { path, body, answer, none = {} }) => {
  const all = Object.entries({ ...foreignAnswers, ...none });
  test.each(all)(
    '%s is a failed attempt: another channel serves, charged once (W22)',
    async (_kind, made) => {
      foreign.answer = made;
      good.answer = answer;
      const before = (await charges()).length;
      const answered = await relay.post(path, token.key, body);
      expect([answered.status, foreign.requests.length, good.requests.length]).toEqual([200, 1, 1]);
      await answered.arrayBuffer();
      expect(await charges()).toHaveLength(before + 1);
    },
  );
});

describe('a transcription', () => {
  const upload = async (format: string | undefined) => {
    const form = new FormData();
    form.set('model', 'm-chat');
    form.set('file', new File([new Uint8Array(64)], 'a.wav', { type: 'audio/wav' }));
    if (format !== undefined) form.set('response_format', format);
    const headers = { Authorization: `Bearer ${token.key}` };
    const answered = await fetch(`${relay.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers,
      body: form,
    });
    return { status: answered.status, text: await answered.text() };
  };

  test.each(['text', 'srt', 'vtt'])(
    'in the format %s is text, and an empty one is legal (W22)',
    async (format) => {
      for (const words of ['Hello.', '1\n00:00:00,000 --> 00:00:01,000\nHello.\n', '']) {
        foreign.answer = typed('text/plain; charset=utf-8', words);
        expect(await upload(format)).toEqual({ status: 200, text: words });
      }
      expect(good.requests).toHaveLength(0);
    },
  );

  test.each(['text', 'json', undefined])('asked for as %s: a page is none (W22)', async (format) => {
    good.answer = () => Response.json({ text: 'Hello.' });
    for (const made of [typed('text/html', page), typed('text/plain', page)]) {
      foreign.answer = made;
      expect(await upload(format)).toMatchObject({ status: 200, text: '{"text":"Hello."}' });
    }
    expect(good.requests).toHaveLength(2);
  });

  test('asked for as JSON: plain text and other JSON are none, a text without words is one (W22)', async () => {
    good.answer = () => Response.json({ text: 'Hello.' });
    for (const made of [typed('text/plain', 'Hello.'), typed('application/json', '{"a":1}')]) {
      foreign.answer = made;
      expect(await upload('json')).toEqual({ status: 200, text: '{"text":"Hello."}' });
    }
    foreign.answer = () => Response.json({ text: '' });
    expect(await upload('verbose_json')).toEqual({ status: 200, text: '{"text":""}' });
  });
});

describe('streams', () => {
  const chunk = (delta: object, finish: string | null = null) =>
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const stream = () =>
    events(
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo.' }, 'stop'),
      'data: [DONE]\n\n',
    );
  const streamed = { model: 'm-chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const other: Readonly<Record<string, () => Response>> = {
    ...foreignAnswers,
    'a whole answer': () => chatAnswer(),
    'events of another shape': () => events('data: {"hello":1}\n\n', 'data: [DONE]\n\n'),
    'a page called an event stream': typed('text/event-stream', page),
    'no event but the end': () => events('data: [DONE]\n\n'),
    'no choice in any event': () =>
      events('data: {"id":"c","object":"chat.completion.chunk","choices":[]}\n\n', 'data: [DONE]\n\n'),
    'no choice but usage': () =>
      events(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`, 'data: [DONE]\n\n'),
  };
  const bodies = {
    chat: ['/v1/chat/completions', streamed],
    messages: ['/v1/messages', { ...streamed, max_tokens: 9 }],
    gemini: [
      '/v1beta/models/m-chat:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ],
  } as const;

  describe.each(Object.entries(bodies))('of %s callers', (name, [path, body]) => {
    // A converted answer in one piece is sent on as a stream.
    const cases = Object.entries(other).filter(([kind]) => name === 'chat' || kind !== 'a whole answer');
    test.each(cases)('%s is a failed attempt (W22)', async (_kind, made) => {
      foreign.answer = made;
      good.answer = stream;
      const before = (await charges()).length;
      const answered = await relay.post(path, token.key, body);
      const text = await answered.text();
      expect([answered.status, foreign.requests.length, good.requests.length]).toEqual([200, 1, 1]);
      expect(text).toContain('Hel');
      expect(
        await eventually(
          async () => (await charges()).length,
          (count) => count > before,
        ),
      ).toBe(before + 1);
    });
  });

  test('events of another shape are none of Gemini’s and Anthropic’s either, converted or not (W22)', async () => {
    const strange = () => events('data: {"hello":1}\n\n', 'data: {"hello":2}\n\n');
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const chatBody = { stream: true, messages: [{ role: 'user', content: 'Hi' }] };
    foreign.answer = strange;
    good.answer = strange;
    const calls: [string, object][] = [
      ['/v1beta/models/m-gemini:streamGenerateContent?alt=sse', { contents }],
      ['/v1/chat/completions', { ...chatBody, model: 'm-gemini' }],
      ['/v1/messages', { ...chatBody, model: 'm-messages', max_tokens: 9 }],
      ['/v1/chat/completions', { ...chatBody, model: 'm-messages' }],
    ];
    const before = (await charges()).length;
    for (const [path, body] of calls) {
      const answered = await relay.post(path, token.key, body);
      expect([path, answered.status]).toEqual([path, 502]);
      await answered.text();
    }
    expect(foreign.requests.length + good.requests.length).toBe(2 * calls.length);
    expect(await charges()).toHaveLength(before);
  });

  test('events without a choice before the first with one are passed on (W22)', async () => {
    const filter = 'data: {"id":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n';
    foreign.answer = () =>
      events(filter, chunk({ role: 'assistant', content: 'Hello.' }, 'stop'), 'data: [DONE]\n\n');
    const text = await (await relay.post('/v1/chat/completions', token.key, streamed)).text();
    expect(text.startsWith(filter)).toBe(true);
    expect(text).toContain('Hello.');
    expect(good.requests).toHaveLength(0);
  });

  test('an event stream with another content type is served (W22)', async () => {
    foreign.answer = () => new Response(stream().body, { headers: { 'Content-Type': 'text/plain' } });
    const text = await (await relay.post('/v1/chat/completions', token.key, streamed)).text();
    expect(text).toContain('Hel');
    expect(good.requests).toHaveLength(0);
  });
});

test('without another channel the caller reads an error of its own API, pays nothing, and the channel counts a failure (W22)', async () => {
  foreign.answer = typed('text/html', page);
  const before = (await charges()).length;
  const messages = [{ role: 'user', content: 'Hi' }];
  const chat = await relay.post('/v1/chat/completions', token.key, { model: 'm-alone', messages });
  expect(chat.status).toBe(502);
  expect(await chat.json()).toMatchObject({ error: { code: 'upstream_failed' } });
  const claude = await relay.post('/v1/messages', token.key, { model: 'm-alone', max_tokens: 9, messages });
  expect(await claude.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const gemini = await relay.post('/v1beta/models/m-alone:generateContent', token.key, { contents });
  expect(await gemini.json()).toMatchObject({ error: { code: 502, status: 'INTERNAL' } });
  const streamed = await relay.post('/v1/chat/completions', token.key, {
    model: 'm-alone',
    stream: true,
    messages,
  });
  expect([streamed.status, await streamed.json()]).toMatchObject([
    502,
    { error: { code: 'upstream_failed' } },
  ]);
  expect(await charges()).toHaveLength(before);
  expect(await relay.holds()).toBe(0);
  await relay.relay.core.health.flush();
  const counted = await relay.store.db
    .selectFrom('channel_hours')
    .select(['attempts', 'failures'])
    .where('channel_id', '=', foreignId)
    .executeTakeFirstOrThrow();
  expect([counted.attempts, counted.failures]).toEqual([4, 4]);
  const { words } = await relay.store.db
    .selectFrom('channel_errors')
    .select('words')
    .where('channel_id', '=', foreignId)
    .executeTakeFirstOrThrow();
  expect(words).toContain('text/html');
});
