// Models newer than this program, and what their upstream refuses: through the real relay against the mock upstream, which
// refuses as OpenAI does.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(30_000);

type Json = Record<string, unknown>;

let relay: RelayHarness;
let token: TestToken;
let channelId: number;

const models = ['gpt-5', 'gpt-5.1', 'gpt-5.4', 'gpt-5.6', 'gpt-6-sol', 'gpt-7', 'o3', 'o5', 'gpt-4o'];

beforeAll(async () => {
  relay = await startRelay({
    settings: { ModelRatio: JSON.stringify(Object.fromEntries(models.map((name) => [name, 1]))) },
  });
  token = await relay.token();
  channelId = await relay.channel({ models });
});
afterAll(() => relay[Symbol.asyncDispose]());
beforeEach(async () => {
  relay.mock.reset();
  await relay.store.db.updateTable('channels').set({ lessons: '', refused_formats: '' }).execute();
  await relay.relay.reload();
});

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = { name: 'weather', description: 'Weather of a city', parameters };
const chatTools = [{ type: 'function', function: weather }];
const messages = [{ role: 'user', content: 'Weather in Rome?' }];
const lessons = async () =>
  (await relay.store.db.selectFrom('channels').select('lessons').executeTakeFirstOrThrow()).lessons;
const paths = () => relay.mock.requests.map(({ path }) => path);
const lastBody = () => relay.mock.requests.at(-1)?.body as Json;
const charged = async () => (await relay.logs(token.userId)).filter(({ type }) => type === 2);
const receipt = async () => {
  const { conversion } = JSON.parse((await relay.lastLog(token.userId)).other) as {
    conversion?: { from: string; to: string; notes: { field: string; what: string }[] };
  };
  return conversion;
};
/** The lesson is stored in the background. */
const learned = async (word: string) => {
  expect(await eventually(lessons, (text) => text.includes(word))).toContain(word);
  await relay.relay.reload();
};

const callers: Readonly<Record<string, [string, (model: string) => Json]>> = {
  chat: ['/v1/chat/completions', (model) => ({ model, messages, tools: chatTools })],
  messages: [
    '/v1/messages',
    (model) => ({
      model,
      max_tokens: 3000,
      messages,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ name: 'weather', description: 'Weather', input_schema: parameters }],
    }),
  ],
  gemini: [
    '/v1beta/models/',
    () => ({
      contents: [{ role: 'user', parts: [{ text: 'Weather in Rome?' }] }],
      generationConfig: { thinkingConfig: { thinkingBudget: 1024 } },
      tools: [{ functionDeclarations: [weather] }],
    }),
  ],
};

describe.each(Object.entries(callers))('function tools of %s callers', (name, [path, bodyOf]) => {
  const post = (model: string, isStream: boolean) =>
    relay.post(
      name === 'gemini'
        ? `${path}${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
        : path,
      token.key,
      { ...bodyOf(model), ...(isStream && name !== 'gemini' ? { stream: true } : {}) },
    );

  test.each([
    ['gpt-5.6', false],
    ['gpt-5.6', true],
    ['gpt-6-sol', false],
    ['gpt-7', true],
  ])(
    '%s, stream %p: refused on Chat, answered by Responses, remembered and noted (W20)',
    async (model, isStream) => {
      const before = (await charged()).length;
      const first = await post(model, isStream);
      expect(first.status).toBe(200);
      expect(await first.text()).toContain('weather');
      expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses']);
      expect(
        await eventually(
          async () => (await charged()).length,
          (count) => count > before,
        ),
      ).toBe(before + 1);
      expect(await receipt()).toMatchObject({ to: 'openai-responses' });
      expect((await receipt())?.notes.map(({ field }) => field)).toContain('tools');
      await learned('"tools"');
      expect((await post(model, isStream)).status).toBe(200);
      expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/responses']);
    },
  );
});

describe('what is remembered of tools', () => {
  test('calls that Chat takes stay on Chat, untouched: without tools, and with the effort none (W20 W24)', async () => {
    const chat = (extra: Json) =>
      relay.post('/v1/chat/completions', token.key, { model: 'gpt-5.6', messages, ...extra });
    await (await chat({ tools: chatTools })).text();
    await learned('"tools"');
    relay.mock.reset();
    expect((await chat({})).status).toBe(200);
    expect((await chat({ tools: chatTools, reasoning_effort: 'none' })).status).toBe(200);
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(lastBody()).toEqual({ model: 'gpt-5.6', messages, tools: chatTools, reasoning_effort: 'none' });
    // Where only a named effort was refused, a call without one stays.
    await (
      await relay.post('/v1/chat/completions', token.key, {
        model: 'gpt-5.4',
        messages,
        tools: chatTools,
        reasoning_effort: 'high',
      })
    ).text();
    await learned('gpt-5.4');
    relay.mock.reset();
    await relay.post('/v1/chat/completions', token.key, { model: 'gpt-5.4', messages, tools: chatTools });
    expect(paths()).toEqual(['/v1/chat/completions']);
  });

  test('a lesson ends after a day (W20)', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const kept = (until: number) =>
      JSON.stringify([{ model: 'gpt-5.6', until, lesson: { kind: 'tools', isAsked: false } }]);
    const call = async (until: number) => {
      await relay.store.db
        .updateTable('channels')
        .set({ lessons: kept(until) })
        .execute();
      await relay.relay.reload();
      relay.mock.reset();
      await relay.post('/v1/chat/completions', token.key, { model: 'gpt-5.6', messages, tools: chatTools });
      return paths();
    };
    expect(await call(seconds + 3600)).toEqual(['/v1/responses']);
    expect(await call(seconds - 1)).toEqual(['/v1/chat/completions', '/v1/responses']);
    const [stored] = JSON.parse(await eventually(lessons, (text) => !text.includes(String(seconds - 1)))) as {
      until: number;
    }[];
    expect(stored?.until).toBeGreaterThan(seconds + 23 * 3600);
    expect(stored?.until).toBeLessThan(seconds + 25 * 3600);
  });

  test('a channel without Responses, and a strict call that would lose something, get the upstream’s refusal (W20)', async () => {
    await relay.store.db
      .updateTable('channels')
      .set({ setting: JSON.stringify({ formats: ['openai-chat'] }) })
      .where('id', '=', channelId)
      .execute();
    await relay.relay.reload();
    const body = { model: 'gpt-5.6', messages, tools: chatTools };
    const refused = await relay.post('/v1/chat/completions', token.key, body);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'reasoning_effort' } });
    await relay.store.db.updateTable('channels').set({ setting: '' }).where('id', '=', channelId).execute();
    await relay.relay.reload();
    const strict = await relay.post(
      '/v1/chat/completions',
      token.key,
      { ...body, seed: 7 },
      { 'x-tollgate-strict': 'true' },
    );
    expect([strict.status, await strict.json()]).toMatchObject([
      400,
      { error: { param: 'reasoning_effort' } },
    ]);
    expect(await lessons()).toBe('');
    expect(await relay.holds()).toBe(0);
  });
});

describe('families', () => {
  const claude = (model: string, extra: Json = {}) =>
    relay.post('/v1/messages', token.key, { model, max_tokens: 3000, messages, ...extra });

  test.each(['gpt-6-sol', 'gpt-7', 'o5', 'gpt-5.6'])(
    '%s is called by the rules of the newest known generation at the first attempt (W21)',
    async (model) => {
      expect((await claude(model, { temperature: 0.2, top_p: 0.5 })).status).toBe(200);
      expect(relay.mock.requests).toHaveLength(1);
      expect(lastBody()).toMatchObject({ max_completion_tokens: 3000 });
      for (const name of ['max_tokens', 'temperature', 'top_p']) expect(lastBody()).not.toHaveProperty(name);
    },
  );

  test('an effort at the end of a new model’s name is one (W21)', async () => {
    for (const [name, model] of [
      ['gpt-6-sol-high', 'gpt-6-sol'],
      ['gpt-7-low', 'gpt-7'],
      ['o5-high', 'o5'],
    ] as const) {
      const answer = await relay.post('/v1/chat/completions', token.key, { model: name, messages });
      expect(answer.status).toBe(200);
      expect(lastBody()).toMatchObject({ model, reasoning_effort: name.split('-').at(-1) });
    }
  });

  test.each([
    ['gpt-5', 'minimal'],
    ['gpt-5.1', 'low'],
    ['gpt-5.6', 'low'],
    ['gpt-7', 'low'],
    ['o3', 'low'],
  ])('the smallest budget of thought is an effort that %s takes (W25)', async (model, effort) => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    expect((await claude(model, { thinking })).status).toBe(200);
    expect(relay.mock.requests).toHaveLength(1);
    expect(lastBody()).toMatchObject({ reasoning_effort: effort });
  });

  test('efforts of other formats become ones that the model takes (W25)', async () => {
    const gemini = (model: string, thinkingConfig: Json) =>
      relay.post(`/v1beta/models/${model}:generateContent`, token.key, {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        generationConfig: { thinkingConfig },
      });
    expect((await gemini('gpt-5.6', { thinkingLevel: 'MINIMAL' })).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning_effort: 'low' });
    expect((await gemini('gpt-5', { thinkingBudget: 0 })).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning_effort: 'minimal' });
    expect((await gemini('o3', { thinkingBudget: 0 })).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning_effort: 'low' });
    expect((await claude('gpt-5.1', { output_config: { effort: 'max' } })).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning_effort: 'high' });
    expect(relay.mock.requests).toHaveLength(4);
  });
});

describe('calls in the upstream’s own format', () => {
  test.each(['gpt-5.1', 'gpt-5.4', 'gpt-4o'])(
    'what %s takes arrives as it was sent, also in strict mode (W24)',
    async (model) => {
      const body = {
        model,
        temperature: 0.3,
        top_p: 0.9,
        messages: [{ role: 'system', content: 'Be kind.' }, ...messages],
      };
      const answer = await relay.post('/v1/chat/completions', token.key, body, {
        'x-tollgate-strict': 'true',
      });
      expect(answer.status).toBe(200);
      expect(lastBody()).toEqual(body);
      expect(await receipt()).toBeUndefined();
      await relay.post('/v1/responses', token.key, { model, input: 'Hi', temperature: 0.3 });
      expect(lastBody()).toEqual({ model, input: 'Hi', temperature: 0.3 });
    },
  );

  test('what the upstream refuses is left out once it was refused, and the receipt says so (W21 W24)', async () => {
    const body = { model: 'o3', messages, max_tokens: 300, temperature: 0.2, top_p: 1 };
    const post = () => relay.post('/v1/chat/completions', token.key, body);
    expect((await post()).status).toBe(200);
    expect(relay.mock.requests).toHaveLength(3);
    expect(lastBody()).toEqual({ model: 'o3', messages, max_completion_tokens: 300, top_p: 1 });
    expect((await receipt())?.notes.map(({ field, what }) => `${field} ${what}`)).toEqual([
      'max_tokens renamed',
      'temperature dropped',
    ]);
    await learned('max_tokens');
    await learned('temperature');
    relay.mock.reset();
    expect((await post()).status).toBe(200);
    expect(relay.mock.requests).toHaveLength(1);
    // The same field beside another effort was never refused.
    await relay.post('/v1/chat/completions', token.key, { model: 'gpt-5.1', messages, temperature: 0.2 });
    expect(lastBody()).toMatchObject({ temperature: 0.2 });
  });

  test('a refused effort is replaced by the nearest that the upstream names (W21)', async () => {
    const body = { model: 'gpt-5.1', messages, reasoning_effort: 'xhigh' };
    expect((await relay.post('/v1/chat/completions', token.key, body)).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning_effort: 'high' });
    expect((await receipt())?.notes).toMatchObject([{ field: 'reasoning', what: 'approximated' }]);
    const responses = { model: 'gpt-5.1', input: 'Hi', reasoning: { effort: 'minimal', summary: 'auto' } };
    relay.mock.reset();
    expect((await relay.post('/v1/responses', token.key, responses)).status).toBe(200);
    expect(lastBody()).toMatchObject({ reasoning: { effort: 'low', summary: 'auto' } });
  });

  test('what is refused beside the replaced effort is learned with it (W21)', async () => {
    const body = { model: 'gpt-5.1', messages, reasoning_effort: 'xhigh', temperature: 0.2 };
    expect((await relay.post('/v1/chat/completions', token.key, body)).status).toBe(200);
    await learned('temperature');
    await learned('efforts');
    relay.mock.reset();
    expect((await relay.post('/v1/chat/completions', token.key, body)).status).toBe(200);
    expect(relay.mock.requests).toHaveLength(1);
    expect(lastBody()).toEqual({ model: 'gpt-5.1', messages, reasoning_effort: 'high' });
  });

  test('a strict call is refused instead of changed, and teaches nothing (W24)', async () => {
    const body = { model: 'o3', messages, temperature: 0.2 };
    const answer = await relay.post('/v1/chat/completions', token.key, body, { 'x-tollgate-strict': 'true' });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'temperature' } }]);
    expect(await lessons()).toBe('');
  });
});

test('on OpenAI’s own host calls of other formats go to Responses where the model reasons (W20)', async () => {
  const { spokenFormat } = await import('#server/relay/channel-choice/select.ts');
  const channel = relay.relay.core.catalog.current.channel(channelId);
  if (channel === undefined || channel.type !== CHANNEL_TYPE.openAi) throw new Error('no channel');
  for (const baseUrl of ['', 'https://api.openai.com/v1', 'https://eu.api.openai.com']) {
    const own = { ...channel, baseUrl };
    for (const model of ['gpt-5', 'gpt-5.6', 'gpt-7', 'o3', 'o5']) {
      expect(spokenFormat(own, 'anthropic-messages', model)).toBe('openai-responses');
      expect(spokenFormat(own, 'gemini-generate', model)).toBe('openai-responses');
      expect(spokenFormat(own, 'openai-chat', model)).toBe('openai-chat');
    }
    expect(spokenFormat(own, 'anthropic-messages', 'gpt-4o')).toBe('openai-chat');
  }
  const other = { ...channel, baseUrl: 'https://api.openai.com.example.org' };
  expect(spokenFormat(other, 'anthropic-messages', 'gpt-5.6')).toBe('openai-chat');
});
