// A prompt that is too long, refused in the words of every kind of upstream: each caller reads its own API's words for it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { event, events, startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

setDefaultTimeout(30_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;
let token: TestToken;

const types = {
  'm-openai': CHANNEL_TYPE.openAi,
  'm-claude': CHANNEL_TYPE.anthropic,
  'm-gemini': CHANNEL_TYPE.gemini,
};

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const prices = Object.fromEntries(Object.keys(types).map((name) => [name, 1]));
  relay = await startRelay({ settings: { ModelRatio: JSON.stringify(prices), RetryTimes: '0' } });
  token = await relay.token();
  for (const [name, type] of Object.entries(types))
    await addChannel(relay.store, { type, base_url: upstream.url, models: [name], key: 'sk-key' });
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const openAi = (message: string, code: string | null = null) => ({ error: { message, code, param: null } });

const refusals: readonly [string, keyof typeof types, number, unknown, boolean][] = [
  [
    'OpenAI',
    'm-openai',
    400,
    openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140007 tokens. Please reduce the length of the messages.",
      'context_length_exceeded',
    ),
    true,
  ],
  [
    'OpenAI Responses',
    'm-openai',
    400,
    openAi(
      'Your input exceeds the context window of this model. Please adjust your input.',
      'context_length_exceeded',
    ),
    false,
  ],
  [
    'Anthropic',
    'm-claude',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 140007 tokens > 128000 maximum' },
    },
    true,
  ],
  [
    'Google',
    'm-gemini',
    400,
    {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (140007) exceeds the maximum number of tokens allowed (128000).',
      },
    },
    true,
  ],
  ['Amazon', 'm-claude', 400, { message: 'Input is too long for requested model.' }, false],
  [
    'xAI',
    'm-openai',
    400,
    openAi("This model's maximum prompt length is 128000 but the request contains 140007 tokens."),
    true,
  ],
  [
    'Mistral',
    'm-openai',
    400,
    openAi('Prompt contains 140007 tokens, too large for model with 128000 maximum context length'),
    true,
  ],
  [
    'Moonshot',
    'm-openai',
    400,
    openAi('Invalid request: Your request exceeded model token limit: 128000'),
    false,
  ],
  [
    'Alibaba',
    'm-openai',
    400,
    openAi('Range of input length should be [1, 98304]', 'invalid_parameter_error'),
    false,
  ],
  [
    'llama.cpp',
    'm-openai',
    400,
    {
      error: { type: 'exceed_context_size_error', message: 'the request exceeds the available context size' },
    },
    false,
  ],
  ['Zhipu', 'm-openai', 400, openAi('Prompt 超长', '1261'), false],
];

test.each(refusals)(
  '%s: every caller reads it in the words and with the code of its own API (W32)',
  async (_vendor, model, status, body, isCounted) => {
    upstream.answer = () => Response.json(body, { status });
    const messages = [{ role: 'user', content: 'Hi' }];
    for (const isStream of [false, true]) {
      const stream = isStream ? { stream: true } : {};
      const chat = await relay.post('/v1/chat/completions', token.key, { model, messages, ...stream });
      expect(chat.status).toBe(400);
      const { error } = (await chat.json()) as { error: { message: string } };
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'context_length_exceeded' });
      expect(error.message).toMatch(/maximum context length|context window/);
      const responses = await relay.post('/v1/responses', token.key, { model, input: 'Hi', ...stream });
      expect(await responses.json()).toMatchObject({ error: { code: 'context_length_exceeded' } });
      const claude = await relay.post('/v1/messages', token.key, {
        model,
        max_tokens: 9,
        messages,
        ...stream,
      });
      expect([claude.status, await claude.json()]).toMatchObject([
        400,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: expect.stringMatching(
              isCounted ? /^prompt is too long: 140007 tokens > 128000 maximum/ : /^prompt is too long/,
            ),
          },
        },
      ]);
      const verb = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const gemini = await relay.post(`/v1beta/models/${model}:${verb}`, token.key, {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      });
      expect([gemini.status, await gemini.json()]).toMatchObject([
        400,
        {
          error: {
            status: 'INVALID_ARGUMENT',
            message: expect.stringMatching(
              isCounted
                ? /^The input token count \(140007\) exceeds the maximum number of tokens allowed \(128000\)/
                : /^The input token count exceeds the maximum number of tokens allowed/,
            ),
          },
        },
      ]);
    }
  },
);

test('other refusals keep their own words and code (W32)', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  for (const message of [
    'max_tokens is too large: 9000. This model supports at most 4096 completion tokens.',
    'Invalid image: too large',
    'The field stop is too long',
  ]) {
    upstream.answer = () => Response.json(openAi(message, 'invalid_value'), { status: 400 });
    const answer = await relay.post('/v1/chat/completions', token.key, { model: 'm-openai', messages });
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_value' } });
  }
});

test('the words that describe a picture or are to be spoken are no conversation: the upstream’s reason stays (W32)', async () => {
  const message = 'The prompt is too long: at most 1000 characters';
  upstream.answer = () => Response.json(openAi(message, 'string_above_max_length'), { status: 400 });
  for (const [path, fields] of [
    ['/v1/images/generations', { prompt: 'a gate' }],
    ['/v1/audio/speech', { input: 'a gate', voice: 'alloy' }],
  ] as const) {
    const answer = await relay.post(path, token.key, { model: 'm-openai', ...fields });
    expect([path, answer.status]).toEqual([path, 400]);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining(message), code: 'string_above_max_length' },
    });
  }
});

const begun: Readonly<Record<keyof typeof types, string>> = {
  'm-openai': `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'Well' }, finish_reason: null }] })}\n\n`,
  'm-claude':
    `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 0 } } })}\n\n` +
    `event: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })}\n\n` +
    `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well' } })}\n\n`,
  'm-gemini': `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Well' }] } }] })}\n\n`,
};
const begunResponse = [
  event({
    type: 'response.created',
    sequence_number: 0,
    response: { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] },
  }),
  event({
    type: 'response.output_item.added',
    sequence_number: 1,
    output_index: 0,
    item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
  }),
  event({
    type: 'response.output_text.delta',
    sequence_number: 2,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'Well',
  }),
];
const callers: readonly [string, string, RegExp][] = [
  ['/v1/chat/completions', 'chat', /"code":"context_length_exceeded"/],
  ['/v1/responses', 'responses', /"code":"context_length_exceeded"/],
  ['/v1/messages', 'messages', /"type":"invalid_request_error","message":"prompt is too long/],
  ['gemini', 'gemini', /"status":"INVALID_ARGUMENT"/],
];
const counted: Readonly<Record<string, RegExp>> = {
  chat: /maximum context length is 128000 tokens/,
  responses: /maximum context length is 128000 tokens/,
  messages: /prompt is too long: 140007 tokens > 128000 maximum/,
  gemini: /The input token count \(140007\) exceeds the maximum number of tokens allowed \(128000\)/,
};

test.each(refusals.filter(([vendor]) => ['OpenAI', 'Anthropic', 'Google', 'xAI'].includes(vendor)))(
  '%s: said after the stream has begun, every caller reads it as before the stream (W32)',
  async (_vendor, model, _status, body) => {
    const error = `${model === 'm-claude' ? 'event: error\n' : ''}data: ${JSON.stringify(body)}\n\n`;
    const typed = { type: 'error', sequence_number: 3, ...(body as { error: object }).error };
    upstream.answer = ({ path }) =>
      path.endsWith('/responses')
        ? events(...begunResponse, event(typed))
        : new Response(begun[model] + error, { headers: { 'Content-Type': 'text/event-stream' } });
    const messages = [{ role: 'user', content: 'Hi' }];
    for (const [path, kind, sign] of callers) {
      const answer =
        kind === 'gemini'
          ? await relay.post(`/v1beta/models/${model}:streamGenerateContent?alt=sse`, token.key, {
              contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
            })
          : await relay.post(path, token.key, {
              model,
              stream: true,
              ...(kind === 'responses' ? { input: 'Hi' } : { messages, max_tokens: 9 }),
            });
      const text = await answer.text();
      expect([kind, answer.status, text]).toEqual([kind, 200, expect.stringContaining('Well')]);
      expect(text).toMatch(sign);
      expect(text).toMatch(counted[kind] ?? /never/);
    }
  },
);
