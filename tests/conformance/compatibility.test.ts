// Details that gateways get wrong, end to end: a caller's bytes through the relay to an upstream that checks like the real
// one. The codecs' own tests of the same points are in server/models/formats.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { PIXEL_PNG } from '#mock/upstream/openai/identity.ts';
import { callerFormats, driverOf } from './drivers.ts';

type Json = Record<string, unknown>;

const models = {
  chat: 'gpt-4o',
  responses: 'o3-pro',
  messages: 'claude-opus-4-5',
  gemini: 'gemini-3-pro-preview',
} as const;

let relay: RelayHarness;
let token: TestToken;

beforeAll(async () => {
  relay = await startRelay({ heartbeatSeconds: 1 });
  const types = { chat: 53, responses: 1, messages: 14, gemini: 24 } as const;
  for (const format of callerFormats) await relay.channel({ type: types[format], models: [models[format]] });
  token = await relay.token();
});
afterAll(() => relay[Symbol.asyncDispose]());

const say = (behaviour: Behaviour, text = 'Please.') => behaviourMessage(behaviour, text);
const lastBody = () => relay.mock.requests.at(-1)?.body as Json;

interface Call {
  name?: string;
  arguments?: string;
}

interface SentEvent {
  event: string;
  data: Json | '[DONE]';
}

async function stream(path: string, body: Json): Promise<{ events: SentEvent[]; text: string }> {
  const response = await relay.post(path, token.key, body);
  expect(response.status).toBe(200);
  const text = await response.text();
  const events = text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? '';
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
      return { event, data: data === '[DONE]' ? ('[DONE]' as const) : (JSON.parse(data) as Json) };
    });
  return { events, text };
}

async function json(path: string, body: Json, headers: Record<string, string> = {}): Promise<Json> {
  const response = await relay.post(path, token.key, body, headers);
  const answer = (await response.json()) as Json;
  expect(response.status === 200 ? {} : answer).toEqual({});
  return answer;
}

const chat = (model: string, behaviour: Behaviour, more: Json = {}): Json => ({
  model,
  messages: [{ role: 'user', content: say(behaviour) }],
  ...more,
});
const message = (model: string, behaviour: Behaviour, more: Json = {}): Json => ({
  ...chat(model, behaviour, more),
  max_tokens: 8000,
});
const generate = (behaviour: Behaviour, more: Json = {}): Json => ({
  contents: [{ role: 'user', parts: [{ text: say(behaviour) }] }],
  ...more,
});

const weather = { type: 'object', properties: { city: { type: 'string' } } };
const chatTools = ['weather', 'time'].map((name) => ({
  type: 'function',
  function: { name, parameters: weather },
}));
const claudeTools = ['weather', 'time'].map((name) => ({ name, input_schema: weather }));
const twoCalls: Behaviour = {
  text: 'Let me look.',
  toolCalls: [
    { name: 'weather', arguments: '{"city":"Paris"}' },
    { name: 'time', arguments: '{"city":"Rome"}' },
  ],
};

const chunksOf = (events: SentEvent[]) =>
  events.map(({ data }) => data).filter((data) => data !== '[DONE]') as {
    choices: { delta: Json; finish_reason: string | null }[];
    usage?: Json;
  }[];

describe('compatibility 1: parallel tool calls keep their own index', () => {
  test.each([models.messages, models.gemini, models.responses])('%p to chat', async (model) => {
    const body = chat(model, twoCalls, { stream: true, tools: chatTools });
    const { events } = await stream('/v1/chat/completions', body);
    const pieces = new Map<number, string>();
    for (const { choices } of chunksOf(events)) {
      for (const call of (choices[0]?.delta['tool_calls'] ?? []) as { index: number; function: Call }[])
        pieces.set(call.index, (pieces.get(call.index) ?? '') + (call.function.arguments ?? ''));
    }
    expect([...pieces]).toEqual([
      [0, '{"city":"Paris"}'],
      [1, '{"city":"Rome"}'],
    ]);
  });

  test('chat to messages: deltas that come in turns become one block for each call', async () => {
    const body = message(models.chat, twoCalls, { stream: true, tools: claudeTools });
    const { events } = await stream('/v1/messages', body);
    const blocks = new Map<number, string>();
    for (const { data } of events) {
      if (data === '[DONE]' || data['type'] !== 'content_block_delta') continue;
      const { index, delta } = data as { index: number; delta: Json };
      if (delta['type'] === 'input_json_delta')
        blocks.set(index, (blocks.get(index) ?? '') + String(delta['partial_json']));
    }
    // The text has block 0.
    expect([...blocks]).toEqual([
      [1, '{"city":"Paris"}'],
      [2, '{"city":"Rome"}'],
    ]);
  });
});

test('compatibility 2: a tool call is the finish reason, whatever the upstream reports', async () => {
  const lying: Behaviour = { ...twoCalls, finishReason: 'stop' };
  const claude = await json('/v1/messages', message(models.chat, lying, { tools: claudeTools }));
  expect(claude['stop_reason']).toBe('tool_use');
  const { events } = await stream(
    '/v1/messages',
    message(models.chat, lying, { tools: claudeTools, stream: true }),
  );
  expect(JSON.stringify(events.find(({ event }) => event === 'message_delta')?.data)).toContain('"tool_use"');
  const openai = await json('/v1/chat/completions', chat(models.gemini, lying, { tools: chatTools }));
  expect(openai['choices']).toMatchObject([{ finish_reason: 'tool_calls' }]);
  const cut = await json(
    `/v1beta/models/${models.chat}:generateContent`,
    generate({ outputTokens: 500 }, { generationConfig: { maxOutputTokens: 5 } }),
  );
  expect(cut['candidates']).toMatchObject([{ finishReason: 'MAX_TOKENS' }]);
});

test('compatibility 3: finish_reason is null until the end, and a name comes once', async () => {
  for (const model of [models.messages, models.gemini, models.responses]) {
    const { events } = await stream(
      '/v1/chat/completions',
      chat(model, twoCalls, { stream: true, tools: chatTools }),
    );
    const chunks = chunksOf(events);
    const reasons = chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
    expect(reasons.at(-1)).toBe('tool_calls');
    const seen = new Set<unknown>();
    for (const { choices } of chunks) {
      for (const call of (choices[0]?.delta['tool_calls'] ?? []) as { index: number; function: Json }[]) {
        expect('name' in call.function).toBe(!seen.has(call.index));
        seen.add(call.index);
      }
    }
  }
});

test('compatibility 4: the usage chunk is last, without choices, and only for those who asked', async () => {
  for (const model of Object.values(models)) {
    const silent = await stream('/v1/chat/completions', chat(model, {}, { stream: true }));
    for (const chunk of chunksOf(silent.events)) expect(chunk.usage ?? null).toBeNull();
    const body = chat(model, {}, { stream: true, stream_options: { include_usage: true } });
    const { events } = await stream('/v1/chat/completions', body);
    expect(events.at(-1)?.data).toBe('[DONE]');
    const last = chunksOf(events).at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.usage?.['total_tokens']).toBeGreaterThan(0);
  }
});

test('compatibility 5: message_start has an estimate of the prompt, message_delta the exact count', async () => {
  const usage = { inputTokens: 4321, outputTokens: 9, reasoningTokens: 0 };
  for (const model of [models.chat, models.responses, models.gemini]) {
    const text = say({ usage }, 'word '.repeat(400));
    const body = { model, max_tokens: 100, stream: true, messages: [{ role: 'user', content: text }] };
    const { events } = await stream('/v1/messages', body);
    const start = events[0]?.data as { message: { usage: { input_tokens: number } } };
    expect(start.message.usage.input_tokens).toBeGreaterThan(300);
    const delta = events.find(({ event }) => event === 'message_delta')?.data as { usage: Json };
    expect(delta.usage).toMatchObject({ input_tokens: 4321, output_tokens: 9 });
  }
});

test('compatibility 6: token classes are disjoint for the price, and reported as each format counts them', async () => {
  const usage = {
    inputTokens: 1000,
    cachedInputTokens: 400,
    cacheWriteInputTokens: 100,
    cacheWriteHourInputTokens: 60,
    outputTokens: 50,
    reasoningTokens: 0,
  };
  const openai = await json('/v1/chat/completions', chat(models.messages, { usage }));
  expect(openai['usage']).toMatchObject({ prompt_tokens: 1000, completion_tokens: 50 });
  expect((openai['usage'] as { prompt_tokens_details: Json }).prompt_tokens_details['cached_tokens']).toBe(
    400,
  );
  expect(JSON.parse((await relay.lastLog(token.userId)).other)).toMatchObject({
    usage: { input: 500, cacheRead: 400, cacheWrite5m: 40, cacheWrite1h: 60, output: 50 },
  });
  const thinking = { inputTokens: 100, outputTokens: 80, reasoningTokens: 30 };
  const claude = await json(
    '/v1/messages',
    message(models.gemini, { usage: thinking, reasoning: 'Hm.', text: 'Yes.' }),
  );
  expect(claude['usage']).toMatchObject({ input_tokens: 100, output_tokens: 80 });
  const google = await json(
    `/v1beta/models/${models.responses}:generateContent`,
    generate({ usage: thinking, reasoning: 'Hm.', text: 'Yes.' }),
  );
  expect(google['usageMetadata']).toMatchObject({
    promptTokenCount: 100,
    candidatesTokenCount: 50,
    thoughtsTokenCount: 30,
  });
});

describe('compatibility 7: thoughts come back with their signature', () => {
  test.each([...callerFormats])('a tool used while thinking, by a caller of %p', async (format) => {
    const driver = driverOf(format, relay.url, token.key);
    for (const redactsThinking of [false, true]) {
      const behaviour: Behaviour = {
        reasoning: 'I should look.',
        redactsThinking,
        usage: { inputTokens: 10, outputTokens: 10, reasoningTokens: 0 },
      };
      const question = { model: models.messages, text: say(behaviour), tools: true, thinks: true };
      const { first, second } = await driver.roundTrip(question);
      expect(first.calls.length).toBeGreaterThan(0);
      expect(second.stop).toBe('stop');
    }
  });

  test('a thought of another model is not forwarded unsigned', async () => {
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello', reasoning_content: 'An unsigned thought.' },
      { role: 'user', content: 'And now?' },
    ];
    await json('/v1/chat/completions', {
      model: models.messages,
      messages: history,
      reasoning_effort: 'high',
    });
    expect(JSON.stringify(lastBody())).not.toContain('An unsigned thought.');
  });
});

describe('compatibility 8: Gemini’s thought signature comes back with the call', () => {
  test.each([...callerFormats])('by a caller of %p', async (format) => {
    const driver = driverOf(format, relay.url, token.key);
    const { first, second } = await driver.roundTrip({ model: models.gemini, text: say({}), tools: true });
    expect(first.calls[0]?.name).toBe('weather');
    expect(second.stop).toBe('stop');
    expect(JSON.stringify(lastBody()['contents'])).toContain('thoughtSignature');
  });

  test('chat carries it where Google’s own compatible address does', async () => {
    const answer = await json('/v1/chat/completions', chat(models.gemini, {}, { tools: chatTools }));
    const [choice] = answer['choices'] as { message: { tool_calls: Json[] } }[];
    expect(choice?.message.tool_calls[0]).toMatchObject({
      extra_content: { google: { thought_signature: expect.any(String) } },
    });
  });
});

test('compatibility 9: the life of a response, event by event', async () => {
  for (const model of [models.chat, models.messages, models.gemini]) {
    const { events } = await stream('/v1/responses', {
      model,
      input: say({ text: 'One two.' }),
      stream: true,
    });
    const kinds = events.map(({ event }) => event);
    expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ data }) => (data as Json)['sequence_number'])).toEqual(
      events.map((_, index) => index),
    );
    const { response } = (events.at(-1)?.data ?? {}) as { response: Json };
    expect(response).toMatchObject({ object: 'response', status: 'completed', model });
    expect(JSON.stringify(response['output'])).toContain('One two.');
    expect(response['usage']).toHaveProperty('total_tokens');
    const tools = [{ type: 'function', name: 'weather', parameters: weather, strict: false }];
    const called = await stream('/v1/responses', { model, input: say({}), stream: true, tools });
    const names = new Set(called.events.map(({ event }) => event));
    expect(names.has('response.function_call_arguments.delta')).toBe(true);
    expect(names.has('response.function_call_arguments.done')).toBe(true);
  }
});

test('compatibility 10: state that cannot be converted is resolved here or refused, never ignored', async () => {
  const first = await json('/v1/responses', { model: models.messages, input: 'The word is plum.' });
  await json('/v1/responses', { model: models.gemini, input: 'Which?', previous_response_id: first['id'] });
  expect(JSON.stringify(lastBody())).toContain('plum');
  const refused = await relay.post('/v1/responses', token.key, {
    model: models.messages,
    input: 'x',
    previous_response_id: 'resp_of_nobody',
  });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('resp_of_nobody');
});

test('compatibility 11: cache_control survives everywhere, and nothing in a call’s input is touched', async () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const native = {
    model: models.messages,
    max_tokens: 100,
    system: [{ type: 'text', text: 'Long.', cache_control }],
    tools: [{ name: 'weather', input_schema: weather, cache_control }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { cache_control: 'mine' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain', cache_control }],
      },
    ],
  };
  await json('/v1/messages', native);
  expect(lastBody()).toEqual(native);
  await json('/v1/chat/completions', {
    model: models.messages,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Long.', cache_control }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
    ],
    tools: [{ ...chatTools[0], cache_control }],
    tool_choice: 'none',
  });
  const body = lastBody() as { system: Json[]; messages: { content: Json[] }[]; tools: Json[] };
  expect(body.system[0]?.['cache_control']).toEqual(cache_control);
  expect(body.messages[0]?.content[0]?.['cache_control']).toEqual({ type: 'ephemeral' });
  expect(body.tools[0]?.['cache_control']).toEqual(cache_control);
});

test('compatibility 12: parallel calls and forced tools, both ways', async () => {
  await json(
    '/v1/chat/completions',
    chat(models.messages, {}, { tools: chatTools, parallel_tool_calls: false, tool_choice: 'required' }),
  );
  expect(lastBody()['tool_choice']).toEqual({ type: 'any', disable_parallel_tool_use: true });
  await json(
    '/v1/messages',
    message(
      models.chat,
      {},
      { tools: claudeTools, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    ),
  );
  expect(lastBody()).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false });
  await json(
    '/v1/chat/completions',
    chat(
      models.gemini,
      {},
      { tools: chatTools, tool_choice: { type: 'function', function: { name: 'time' } } },
    ),
  );
  expect(lastBody()['toolConfig']).toMatchObject({
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['time'] },
  });
});

test('compatibility 13: a tool of the provider’s own becomes no nameless function', async () => {
  const tools = [
    { type: 'web_search' },
    { type: 'function', name: 'weather', parameters: weather, strict: false },
  ];
  for (const model of [models.messages, models.chat, models.gemini]) {
    await json('/v1/responses', { model, input: say({ text: 'Yes.' }), tools });
    const sent = JSON.stringify(lastBody()['tools']);
    expect(sent).not.toContain('"name":""');
    expect(sent).not.toContain('undefined');
  }
  const row = JSON.parse((await relay.lastLog(token.userId)).other) as { conversion: Json };
  expect(row.conversion).toMatchObject({ from: 'openai-responses', to: 'gemini-generate' });
  // Names that no upstream accepts return to the caller unchanged.
  const named = [{ type: 'function', function: { name: 'mcp.files/read file', parameters: weather } }];
  const answer = await json('/v1/chat/completions', chat(models.messages, {}, { tools: named }));
  const [choice] = answer['choices'] as { message: { tool_calls: { function: Json }[] } }[];
  expect(choice?.message.tool_calls[0]?.function['name']).toBe('mcp.files/read file');
});

test('compatibility 14: instructions reach their place, and turns keep their order', async () => {
  const messages = [
    { role: 'system', content: 'First rule.' },
    { role: 'developer', content: 'Second rule.' },
    { role: 'user', content: 'Hello' },
    { role: 'user', content: 'Anybody?' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'system', content: 'Rule in the middle.' },
    { role: 'user', content: 'Good.' },
  ];
  for (const model of [models.messages, models.gemini, models.responses]) {
    await json('/v1/chat/completions', { model, messages });
    const sent = JSON.stringify(lastBody());
    for (const rule of ['First rule.', 'Second rule.', 'Rule in the middle.']) expect(sent).toContain(rule);
    expect(sent.indexOf('Hello')).toBeLessThan(sent.indexOf('Good.'));
  }
  await json('/v1/chat/completions', { model: models.messages, messages });
  expect(JSON.stringify(lastBody()['system'])).toContain('Second rule.');
  await json('/v1/messages', {
    model: models.gemini,
    max_tokens: 99,
    system: 'Be kind.',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(JSON.stringify(lastBody()['systemInstruction'])).toContain('Be kind.');
});

test('compatibility 15: schemas for Gemini are dereferenced, not cut', async () => {
  const parameters = {
    $defs: {
      place: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    },
    type: 'object',
    additionalProperties: false,
    properties: {
      from: { $ref: '#/$defs/place' },
      stops: { type: 'array', items: { $ref: '#/$defs/place' } },
      pace: { oneOf: [{ type: 'string' }, { type: 'null' }] },
      count: { type: ['integer', 'null'], exclusiveMinimum: 0, default: 1 },
      when: { type: 'string', format: 'uri' },
    },
    required: ['from'],
  };
  const tools = [{ type: 'function', function: { name: 'route', parameters } }];
  const answer = await json('/v1/chat/completions', chat(models.gemini, {}, { tools }));
  expect(JSON.stringify(answer)).toContain('route');
  expect(JSON.stringify(lastBody()['tools'])).toContain('"name"');
  const history = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'route', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '{"schema":{"$ref":"#/x"}}' },
  ];
  await json('/v1/chat/completions', { model: models.gemini, messages: history, tools });
});

test('compatibility 16: a call without arguments has an empty object', async () => {
  const behaviour: Behaviour = { toolCalls: [{ name: 'weather', arguments: '{}' }] };
  for (const model of [models.messages, models.gemini]) {
    const { events } = await stream(
      '/v1/chat/completions',
      chat(model, behaviour, { stream: true, tools: chatTools }),
    );
    let text = '';
    for (const { choices } of chunksOf(events))
      for (const call of (choices[0]?.delta['tool_calls'] ?? []) as { function: Call }[])
        text += call.function.arguments ?? '';
    expect(text).toBe('{}');
  }
  const native = await json(
    '/v1/messages',
    message(models.chat, { toolCalls: [{ name: 'weather', arguments: '' }] }, { tools: claudeTools }),
  );
  expect(native['content']).toMatchObject([{ type: 'tool_use', input: {} }]);
});

test('compatibility 17: limits of length under the name and in the range the model takes', async () => {
  await json('/v1/chat/completions', chat(models.messages, {}));
  expect(lastBody()['max_tokens']).toBeGreaterThan(1000);
  await json(
    '/v1/chat/completions',
    chat(models.messages, {}, { max_tokens: 500, reasoning_effort: 'high' }),
  );
  const { thinking, max_tokens: limit } = lastBody() as {
    thinking?: { budget_tokens: number };
    max_tokens: number;
  };
  if (thinking?.budget_tokens !== undefined) expect(limit).toBeGreaterThan(thinking.budget_tokens);
  await json('/v1/messages', message(models.responses, {}));
  expect(lastBody()).toMatchObject({ max_output_tokens: 8000 });
});

test('compatibility 18: a document and a picture reach every upstream', async () => {
  const pdf = Buffer.from('%PDF-1.4 mock').toString('base64');
  const content = [
    { type: 'text', text: say({ text: 'Read.' }) },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL_PNG } },
  ];
  for (const model of Object.values(models)) {
    await json('/v1/messages', { model, max_tokens: 500, messages: [{ role: 'user', content }] });
    const sent = JSON.stringify(lastBody());
    expect(sent).toContain(pdf);
    expect(sent).toContain(PIXEL_PNG);
  }
});

test('compatibility 19: errors in the caller’s shape, without the supplier’s words', async () => {
  const shapes: [string, Json, Json][] = [
    [
      '/v1/messages',
      message(models.chat, { status: 429 }),
      { type: 'error', error: { type: 'rate_limit_error' } },
    ],
    [
      `/v1beta/models/${models.messages}:generateContent`,
      generate({ status: 429 }),
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } },
    ],
    ['/v1/chat/completions', chat(models.gemini, { status: 429 }), { error: { code: 'upstream_saturated' } }],
    [
      '/v1/responses',
      { model: models.messages, input: say({ status: 500 }) },
      { error: { code: 'upstream_failed' } },
    ],
  ];
  for (const [path, body, shape] of shapes) {
    const response = await relay.post(path, token.key, body);
    const text = await response.text();
    relay.endCooling();
    expect(response.status).toBeGreaterThanOrEqual(429);
    expect(JSON.parse(text)).toMatchObject(shape);
    expect(text).not.toMatch(/org-mock|organization|anthropic\.com|google\.dev|openai\.com/);
  }
  const broken: Behaviour = { outputTokens: 30, errorAfterEvents: 10 };
  const { events, text } = await stream('/v1/messages', message(models.gemini, broken, { stream: true }));
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { type: 'error' } });
  expect(text).not.toContain('overloaded. Please');
});

describe('compatibility 20: server-sent events as each dialect writes them', () => {
  test('names for Anthropic and Responses, none for chat and Gemini; [DONE] is chat’s alone', async () => {
    const split: Behaviour = { text: 'Ünï çødé 你好 🌍', sliceBytes: 1 };
    const claude = await stream('/v1/messages', message(models.gemini, split, { stream: true }));
    const responses = await stream('/v1/responses', { model: models.chat, input: say(split), stream: true });
    const openai = await stream('/v1/chat/completions', chat(models.messages, split, { stream: true }));
    const google = await stream(
      `/v1beta/models/${models.chat}:streamGenerateContent?alt=sse`,
      generate(split),
    );
    for (const { events } of [claude, responses])
      for (const { event, data } of events) expect(event).toBe(String((data as Json)['type']));
    for (const { events } of [openai, google]) for (const { event } of events) expect(event).toBe('');
    expect(openai.text).toEndWith('data: [DONE]\n\n');
    for (const { text } of [claude, responses, google]) expect(text).not.toContain('[DONE]');
    for (const { text } of [claude, openai, google]) expect(text).toContain('🌍');
  });

  test('comments keep a silent stream alive', async () => {
    const silent: Behaviour = { text: 'One two three four', stall: { afterEvents: 4, milliseconds: 2500 } };
    const { text } = await stream('/v1/messages', message(models.chat, silent, { stream: true }));
    expect(text).toContain(': keep-alive');
    expect(text).toContain('message_stop');
  });
});

test('compatibility 21: tokens are counted for every model', async () => {
  for (const model of Object.values(models)) {
    const counted = await json('/v1/messages/count_tokens', {
      model,
      messages: [{ role: 'user', content: 'How long is this?' }],
    });
    expect(counted['input_tokens']).toBeGreaterThan(3);
  }
});
