// Changes that a channel and a model's name make to the upstream request: reasoning suffixes, rules of OpenAI's
// reasoning models, the channel's settings; and which responses Responses callers may continue.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';
import { startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;

type Json = Record<string, unknown>;

beforeAll(async () => {
  relay = await startRelay();
  await relay.channel({
    type: CHANNEL_TYPE.openAi,
    models: ['o3-mini', 'gpt-5', 'gpt-5-chat-latest', 'gpt-4o', 'o3'],
  });
  await relay.channel({
    type: CHANNEL_TYPE.anthropic,
    models: ['claude-opus-4-5', 'claude-3-5-haiku-20241022', 'claude-sonnet-5'],
  });
  await relay.channel({ type: CHANNEL_TYPE.gemini, models: ['gemini-2.5-flash', 'gemini-3-pro-preview'] });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

const hello = (text = 'Say hello') => [{ role: 'user', content: text }];
const lastBody = () => relay.mock.requests.at(-1)?.body as Json;

async function call(path: string, body: unknown, key = token.key): Promise<{ status: number; json: Json }> {
  const response = await relay.post(path, key, body);
  return { status: response.status, json: (await response.json()) as Json };
}

async function chat(body: Json, key = token.key): Promise<Json> {
  const { status, json } = await call('/v1/chat/completions', { messages: hello(), ...body }, key);
  expect(json).not.toHaveProperty('error');
  expect(status).toBe(200);
  return json;
}

describe('a suffix of the model name sets the reasoning effort', () => {
  test('OpenAI: effort, in chat and in Responses', async () => {
    await chat({ model: 'o3-mini-high' });
    expect(lastBody()).toMatchObject({ model: 'o3-mini', reasoning_effort: 'high' });
    await chat({ model: 'gpt-5-minimal' });
    expect(lastBody()).toMatchObject({ model: 'gpt-5', reasoning_effort: 'minimal' });
    await call('/v1/responses', { model: 'gpt-5-low', input: 'hi', reasoning: { summary: 'auto' } });
    expect(lastBody()).toMatchObject({ model: 'gpt-5', reasoning: { summary: 'auto', effort: 'low' } });
    await call('/v1/messages', { model: 'o3-mini-medium', max_tokens: 500, messages: hello() });
    expect(lastBody()).toMatchObject({ model: 'o3-mini', reasoning_effort: 'medium' });
  });

  test('Claude: thinking with a budget, none, and adaptive', async () => {
    const messages = (model: string) =>
      call('/v1/messages', { model, max_tokens: 2000, messages: hello(), temperature: 0.3 });
    expect((await messages('claude-opus-4-5-thinking-4096')).status).toBe(200);
    expect(lastBody()).toMatchObject({
      model: 'claude-opus-4-5',
      thinking: { type: 'enabled', budget_tokens: 4096 },
    });
    expect(lastBody()).not.toHaveProperty('temperature');
    expect(Number(lastBody()['max_tokens'])).toBeGreaterThan(4096);
    expect((await messages('claude-opus-4-5-thinking')).status).toBe(200);
    expect(lastBody()['thinking']).toEqual({ type: 'enabled', budget_tokens: 1600 });
    await messages('claude-opus-4-5-nothinking');
    expect(lastBody()['thinking']).toEqual({ type: 'disabled' });
    await messages('claude-sonnet-5-thinking');
    expect(lastBody()['thinking']).toEqual({ type: 'adaptive' });
    await chat({ model: 'claude-opus-4-5-thinking-2048' });
    expect(lastBody()).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2048 } });
  });

  test('Gemini: a budget, a level, none', async () => {
    const generate = (model: string) =>
      call(`/v1beta/models/${model}:generateContent`, { contents: [{ parts: [{ text: 'hi' }] }] });
    await generate('gemini-2.5-flash-thinking-512');
    expect(relay.mock.requests.at(-1)?.model).toBe('gemini-2.5-flash');
    expect(lastBody()).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 512 } } });
    await generate('gemini-2.5-flash-nothinking');
    expect(lastBody()).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } });
    await generate('gemini-3-pro-preview-low');
    expect(lastBody()).toMatchObject({ generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } });
    await chat({ model: 'gemini-2.5-flash-high' });
    expect(relay.mock.requests.at(-1)?.model).toBe('gemini-2.5-flash');
  });

  test('the suffixed name is the same model in prices and in token model limits', async () => {
    await chat({
      model: 'gpt-5-high',
      messages: hello(behaviourMessage({ usage: { inputTokens: 100, outputTokens: 10 } })),
    });
    const suffixed = await relay.lastLog(token.userId);
    await chat({
      model: 'gpt-5',
      messages: hello(behaviourMessage({ usage: { inputTokens: 100, outputTokens: 10 } })),
    });
    const plain = await relay.lastLog(token.userId);
    expect(suffixed.model_name).toBe('gpt-5-high');
    expect(suffixed.quota).toBe(plain.quota);
    const limited = await relay.token({ model_limits_enabled: 1, model_limits: 'gpt-5' });
    await chat({ model: 'gpt-5-high' }, limited.key);
    const refused = await call('/v1/chat/completions', { model: 'gpt-4o', messages: hello() }, limited.key);
    expect(refused.status).toBe(403);
  });
});

describe('rules of OpenAI’s reasoning models', () => {
  test('a native call loses only what the upstream refused; a converted one follows the rules at once (W24)', async () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, ...hello()];
    await chat({ model: 'o3', messages, max_tokens: 300, temperature: 0.2, top_p: 1 });
    const body = lastBody();
    expect(body).toMatchObject({ max_completion_tokens: 300, top_p: 1 });
    expect(body).not.toHaveProperty('max_tokens');
    expect(body).not.toHaveProperty('temperature');
    expect((body['messages'] as Json[])[0]).toEqual({ role: 'system', content: 'Be brief.' });
    const { notes } = (
      JSON.parse((await relay.lastLog(token.userId)).other) as { conversion: { notes: Json[] } }
    ).conversion;
    expect(notes.map(({ field, what }) => `${String(field)} ${String(what)}`)).toEqual([
      'max_tokens renamed',
      'temperature dropped',
    ]);
    const before = relay.mock.requests.length;
    const asked = { model: 'o3', system: 'Be brief.', messages: hello(), max_tokens: 300, temperature: 0.2 };
    expect((await call('/v1/messages', asked)).status).toBe(200);
    expect(relay.mock.requests).toHaveLength(before + 1);
    expect(lastBody()).toMatchObject({ max_completion_tokens: 300 });
    expect(lastBody()).not.toHaveProperty('temperature');
    expect((lastBody()['messages'] as Json[])[0]).toEqual({ role: 'developer', content: 'Be brief.' });
  });

  test('the chat variant and older models keep the caller’s parameters', async () => {
    for (const model of ['gpt-5-chat-latest', 'gpt-4o']) {
      await chat({ model, temperature: 0.2, ...(model === 'gpt-4o' ? { max_tokens: 300 } : {}) });
      expect(lastBody()['temperature']).toBe(0.2);
    }
    expect(lastBody()['max_tokens']).toBe(300);
  });

  test('Anthropic gets a default limit by the model’s age when the caller set none', async () => {
    await chat({ model: 'claude-3-5-haiku-20241022' });
    expect(lastBody()['max_tokens']).toBe(8192);
    await chat({ model: 'claude-opus-4-5' });
    expect(lastBody()['max_tokens']).toBe(32_000);
    await chat({ model: 'claude-opus-4-5', max_tokens: 77 });
    expect(lastBody()['max_tokens']).toBe(77);
  });
});

describe('settings of a channel', () => {
  async function channel(name: string, type: number, setting: Json, fields: Record<string, string> = {}) {
    await relay.channel({ type, models: [name], fields: { setting: JSON.stringify(setting), ...fields } });
    const ratios = relay.settings.current.ModelRatio;
    await relay.settings.set('ModelRatio', JSON.stringify({ ...ratios, [name]: 1 }), 0);
  }

  test('a system prompt is added when the caller sent none, or before the caller’s own', async () => {
    await channel('prompted', 53, { system_prompt: 'Speak like a pirate.' });
    await channel('prompted-first', 53, {
      system_prompt: 'Speak like a pirate.',
      system_prompt_override: true,
    });
    await channel('prompted-claude', 14, { system_prompt: 'Speak like a pirate.' });
    const own = [{ role: 'system', content: 'Mine.' }, ...hello()];
    const roles = () => (lastBody()['messages'] as Json[]).map(({ content }) => content);
    await chat({ model: 'prompted' });
    expect(roles()).toEqual(['Speak like a pirate.', 'Say hello']);
    await chat({ model: 'prompted', messages: own });
    expect(roles()).toEqual(['Mine.', 'Say hello']);
    await chat({ model: 'prompted-first', messages: own });
    expect(roles()).toEqual(['Speak like a pirate.', 'Mine.', 'Say hello']);
    await chat({ model: 'prompted-claude' });
    expect(JSON.stringify(lastBody()['system'])).toContain('Speak like a pirate.');
    await call('/v1/messages', { model: 'prompted-claude', max_tokens: 50, messages: hello() });
    expect(lastBody()['system']).toBe('Speak like a pirate.');
  });

  test('reasoning as text, whole and streamed', async () => {
    await channel('thinks-aloud', 53, { thinking_to_content: true });
    const messages = hello(behaviourMessage({ reasoning: 'Let me see.', text: 'It is so.' }));
    const expected = '<think>\nLet me see.\n</think>\n\nIt is so.';
    const whole = await chat({ model: 'thinks-aloud', messages });
    expect(whole['choices']).toMatchObject([{ message: { content: expected } }]);
    const body = { model: 'thinks-aloud', messages, stream: true };
    const stream = await relay.sdk(token).chat.completions.create(body as never);
    let text = '';
    for await (const chunk of stream as unknown as AsyncIterable<{
      choices: { delta: { content?: string } }[];
    }>)
      text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(expected);
  });

  test('a forced format rewrites the answer in the standard shape', async () => {
    await channel('forced', 8, { force_format: true });
    const answer = await chat({ model: 'forced' });
    expect(answer).not.toHaveProperty('system_fingerprint');
    expect(String(answer['id'])).toStartWith('chatcmpl-');
    expect(answer['choices']).toMatchObject([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant' } },
    ]);
  });

  test('overrides of parameters and headers apply to a converted call too', async () => {
    const fields = {
      param_override: '{"temperature":0.5,"stream":true,"model":"other"}',
      header_override: '{"anthropic-beta":"operators-own","x-team":"blue"}',
    };
    await channel('overridden', 14, {}, fields);
    await chat({ model: 'overridden', temperature: 0.9 });
    expect(lastBody()).toMatchObject({ temperature: 0.5, model: 'overridden' });
    expect(lastBody()['stream'] ?? false).toBe(false);
    expect(relay.mock.requests.at(-1)?.headers).toMatchObject({
      'anthropic-beta': 'operators-own',
      'x-team': 'blue',
    });
    await relay.post(
      '/v1/messages',
      token.key,
      { model: 'overridden', max_tokens: 50, messages: hello() },
      { 'anthropic-beta': 'callers' },
    );
    expect(relay.mock.requests.at(-1)?.headers['anthropic-beta']).toBe('operators-own');
  });

  test('pass-through leaves the body unchanged except for the model’s name', async () => {
    await channel(
      'o3-passed',
      53,
      { pass_through_body_enabled: true, system_prompt: 'No.' },
      { param_override: '{"temperature":0.1}', model_mapping: '{"o3-passed":"other-model"}' },
    );
    await chat({ model: 'o3-passed', temperature: 0.4 });
    expect(lastBody()).toEqual({ model: 'other-model', messages: hello(), temperature: 0.4 });
  });
});

describe('continuing a response', () => {
  const respond = (body: Json, key = token.key) => call('/v1/responses', body, key);
  const text = (json: Json) => JSON.stringify(json['output']);

  test('a conversation with an upstream that stores none is stored by the gateway, for its user', async () => {
    const first = await respond({
      model: 'claude-opus-4-5',
      input: 'My name is Ada.',
      instructions: 'Brief.',
    });
    expect(first.json['status']).toBe('completed');
    const previous_response_id = first.json['id'];
    const second = await respond({ model: 'claude-opus-4-5', input: 'Who am I?', previous_response_id });
    expect(second.status).toBe(200);
    const messages = JSON.stringify(lastBody()['messages']);
    expect(messages).toContain('My name is Ada.');
    expect(messages).toContain('I am a mock model');
    expect(messages).toContain('Who am I?');
    // Another format may continue the conversation, several times.
    const third = await respond({
      model: 'gemini-2.5-flash',
      input: 'And now?',
      previous_response_id: second.json['id'],
    });
    expect(third.status).toBe(200);
    expect(JSON.stringify(lastBody()['contents'])).toContain('My name is Ada.');
    const stranger = await relay.token();
    const foreign = await respond(
      { model: 'claude-opus-4-5', input: 'x', previous_response_id },
      stranger.key,
    );
    expect(foreign.status).toBe(400);
    expect(foreign.json).toMatchObject({ error: { code: 'previous_response_not_found' } });
    expect(text(third.json)).toContain('I am a mock model');
  });

  test('a streamed response can be continued too; one that was not stored cannot', async () => {
    const response = await relay.post('/v1/responses', token.key, {
      model: 'claude-opus-4-5',
      input: 'Remember the word pear.',
      stream: true,
    });
    const events = await response.text();
    const id = /"id":"(resp_\w+)"/.exec(events)?.[1];
    const next = await respond({ model: 'claude-opus-4-5', input: 'Which word?', previous_response_id: id });
    expect(next.status).toBe(200);
    expect(JSON.stringify(lastBody()['messages'])).toContain('pear');
    const unstored = await respond({ model: 'claude-opus-4-5', input: 'x', store: false });
    const lost = await respond({
      model: 'claude-opus-4-5',
      input: 'y',
      previous_response_id: unstored.json['id'],
    });
    expect(lost.status).toBe(400);
  });

  test('a response stored by the upstream is continued on the same channel, or is refused', async () => {
    const models = ['o4-mini'];
    await relay.channel({ type: CHANNEL_TYPE.openAi, models, name: 'one' });
    await relay.channel({ type: CHANNEL_TYPE.openAi, models, name: 'two' });
    const first = await respond({ model: 'o4-mini', input: 'hi' });
    const { channel_name: home, channel_id } = await relay.lastLog(token.userId);
    for (let round = 0; round < 6; round += 1) {
      const next = await respond({ model: 'o4-mini', input: 'more', previous_response_id: first.json['id'] });
      expect(next.status).toBe(200);
      expect(lastBody()['previous_response_id']).toBe(first.json['id']);
      expect((await relay.lastLog(token.userId)).channel_name).toBe(home);
    }
    await relay.store.db.updateTable('channels').set({ status: 2 }).where('id', '=', channel_id).execute();
    await relay.relay.reload();
    const away = await respond({ model: 'o4-mini', input: 'more', previous_response_id: first.json['id'] });
    expect(away.status).toBe(400);
    expect(away.json).toMatchObject({ error: { code: 'previous_response_away' } });
  });

  test.each([false, true])(
    'encrypted reasoning goes back to the channel that issued it, else it is dropped and reported (streamed: %p)',
    async (stream) => {
      const model = `o5-thinks-${stream}`;
      const ratios = relay.settings.current.ModelRatio;
      await relay.settings.set('ModelRatio', JSON.stringify({ ...ratios, [model]: 1 }), 0);
      // Two accounts: neither can decrypt the other's reasoning.
      for (const key of ['sk-first', 'sk-second'])
        await relay.channel({ type: CHANNEL_TYPE.openAi, models: [model], key });
      const ask = async (input: unknown): Promise<Json[]> => {
        const body = { model, input, store: false, stream, include: ['reasoning.encrypted_content'] };
        const response = await relay.post('/v1/responses', token.key, body);
        const answer = await response.text();
        const last = stream ? (answer.trim().split('data: ').at(-1) ?? '') : answer;
        const json = JSON.parse(last) as { response?: Json; output?: Json[]; error?: unknown };
        expect(response.status).toBe(200);
        return (json.response?.['output'] ?? json.output) as Json[];
      };
      const question = { role: 'user', content: 'hi' };
      const output = await ask([question]);
      expect(output[0]).toHaveProperty('encrypted_content');
      const { channel_id: home } = await relay.lastLog(token.userId);
      const input = [question, ...output, { role: 'user', content: 'go on' }];
      for (let round = 0; round < 6; round += 1) {
        await ask(input);
        expect((await relay.lastLog(token.userId)).channel_id).toBe(home);
      }
      await relay.store.db.updateTable('channels').set({ status: 2 }).where('id', '=', home).execute();
      await relay.relay.reload();
      await ask(input);
      expect(JSON.stringify(lastBody())).not.toContain('gAAAAAB-');
      expect((await relay.lastLog(token.userId)).other).toContain('another channel issued it');
    },
  );

  test('a Responses body on the chat address is understood for any upstream', async () => {
    const answer = await call('/v1/chat/completions', { model: 'claude-opus-4-5', input: 'Say hello' });
    expect(answer.json).toMatchObject({ object: 'response', status: 'completed' });
    expect(relay.mock.requests.at(-1)?.path).toBe('/v1/messages');
  });

  test('compaction: by an upstream without it, a summary in place of the conversation', async () => {
    const input = [
      { role: 'user', content: 'Build me a bridge.' },
      { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"cmd":"ls"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'bridge.ts' },
    ];
    const { status, json } = await call('/v1/responses/compact', { model: 'claude-opus-4-5', input });
    expect(status).toBe(200);
    expect(json).toMatchObject({ object: 'response.compaction' });
    expect(json['output']).toMatchObject([
      { role: 'user', content: 'Build me a bridge.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text' }] },
    ]);
    expect(JSON.stringify(json['output'])).toContain('I am a mock model');
    expect((await relay.lastLog(token.userId)).quota).toBeGreaterThan(0);
  });
});
