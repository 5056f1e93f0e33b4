// The official clients read what the encoders write: whole answers and streams, from the same events.
import { describe, expect, test } from 'bun:test';
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { APIError as OpenAiError } from 'openai';
import type { CanonicalEvent } from './canonical.ts';
import { codecOf, encodeAll, usageOf } from '#tests/support/formats.ts';

const answer: CanonicalEvent[] = [
  { type: 'start', id: 'abc', model: 'm', created: 1_700_000_000 },
  { type: 'reasoning-delta', choice: 0, text: 'Let me ' },
  { type: 'reasoning-delta', choice: 0, text: 'think.' },
  { type: 'reasoning-signature', choice: 0, signature: 'SIG', origin: 'anthropic' },
  { type: 'text-delta', choice: 0, text: 'It is ' },
  { type: 'text-delta', choice: 0, text: '“warm” 世界.' },
  { type: 'tool-call-delta', choice: 0, index: 0, id: 'call_a', name: 'one', arguments: '' },
  { type: 'tool-call-delta', choice: 0, index: 1, id: 'call_b', name: 'two', arguments: '{"y"' },
  { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"x":1}' },
  { type: 'tool-call-delta', choice: 0, index: 1, arguments: ':[2]}' },
  { type: 'finish', choice: 0, reason: 'tool_calls', raw: 'tool_calls' },
  { type: 'usage', usage: usageOf({ input: 20, cacheRead: 5, output: 9, reasoning: 3 }) },
];
const failing: CanonicalEvent[] = [
  ...answer.slice(0, 6),
  { type: 'error', message: 'busy', code: 'overloaded_error', status: 529, kind: 'overloaded_error' },
];

const answerText = 'It is “warm” 世界.';

function fetching(format: string, events: readonly CanonicalEvent[], isStream: boolean): typeof fetch {
  const body = isStream
    ? encodeAll(format, events, { estimatedInput: 25 })
    : JSON.stringify(codecOf(format).encodeResponse(events));
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
  const answering = async (): Promise<Response> => new Response(body, { headers });
  return answering as unknown as typeof fetch;
}

const openAi = (format: string, events: readonly CanonicalEvent[], isStream: boolean): OpenAI =>
  new OpenAI({
    apiKey: 'k',
    baseURL: 'http://localhost/v1',
    maxRetries: 0,
    fetch: fetching(format, events, isStream),
  });

const anthropic = (events: readonly CanonicalEvent[], isStream: boolean): Anthropic =>
  new Anthropic({
    apiKey: 'k',
    baseURL: 'http://localhost',
    maxRetries: 0,
    fetch: fetching('anthropic-messages', events, isStream),
  });

const question = [{ role: 'user' as const, content: 'Hi' }];

async function failure(running: () => Promise<unknown>): Promise<unknown> {
  try {
    await running();
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

describe('OpenAI’s client', () => {
  const wanted = {
    role: 'assistant',
    content: answerText,
    tool_calls: [
      { id: 'call_a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
      { id: 'call_b', type: 'function', function: { name: 'two', arguments: '{"y":[2]}' } },
    ],
  };

  test('reads chat, whole and streamed', async () => {
    const whole = await openAi('openai-chat', answer, false).chat.completions.create({
      model: 'm',
      messages: question,
    });
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: wanted });
    const stream = openAi('openai-chat', answer, true).chat.completions.stream({
      model: 'm',
      messages: question,
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: wanted });
    expect(await stream.totalUsage()).toMatchObject({
      prompt_tokens: 25,
      completion_tokens: 12,
      total_tokens: 37,
    });
  });

  test('reads responses, whole and streamed', async () => {
    const whole = await openAi('openai-responses', answer, false).responses.create({
      model: 'm',
      input: 'Hi',
    });
    expect(whole.output_text).toBe(answerText);
    const stream = openAi('openai-responses', answer, true).responses.stream({ model: 'm', input: 'Hi' });
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(answerText);
    expect(final.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ]);
    expect(final.output.slice(2)).toMatchObject([
      { call_id: 'call_a', name: 'one', arguments: '{"x":1}' },
      { call_id: 'call_b', name: 'two', arguments: '{"y":[2]}' },
    ]);
    expect(final.usage).toMatchObject({
      input_tokens: 25,
      output_tokens: 12,
      input_tokens_details: { cached_tokens: 5 },
    });
  });

  test('hears of the error amid a stream: chat throws, responses tell', async () => {
    const error = await failure(async () => {
      const client = openAi('openai-chat', failing, true);
      const stream = await client.chat.completions.create({ model: 'm', messages: question, stream: true });
      for await (const _event of stream);
    });
    expect(error).toBeInstanceOf(OpenAiError);
    const client = openAi('openai-responses', failing, true);
    const types: string[] = [];
    for await (const event of await client.responses.create({ model: 'm', input: 'Hi', stream: true }))
      types.push(event.type);
    expect(types.slice(-2)).toEqual(['error', 'response.failed']);
  });
});

describe('Anthropic’s client', () => {
  const content = [
    { type: 'thinking', thinking: 'Let me think.', signature: 'SIG' },
    { type: 'text', text: answerText },
    { type: 'tool_use', id: 'call_a', name: 'one', input: { x: 1 } },
    { type: 'tool_use', id: 'call_b', name: 'two', input: { y: [2] } },
  ];
  const params = { model: 'm', max_tokens: 10, messages: question };

  test('reads messages, whole and streamed', async () => {
    const whole = await anthropic(answer, false).messages.create(params);
    expect(whole).toMatchObject({ content, stop_reason: 'tool_use' });
    const stream = anthropic(answer, true).messages.stream(params);
    const starts: number[] = [];
    stream.on('streamEvent', (event) => {
      if (event.type === 'message_start') starts.push(event.message.usage.input_tokens);
    });
    const final = await stream.finalMessage();
    expect(starts).toEqual([25]);
    expect(final).toMatchObject({
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 12 },
    });
  });

  test('throws the error amid a stream', async () => {
    const error = await failure(() => anthropic(failing, true).messages.stream(params).finalMessage());
    expect(error).toBeInstanceOf(AnthropicError);
    expect(String(error)).toContain('busy');
  });
});

test('Google’s client reads whole answers and streams', async () => {
  const given = globalThis.fetch;
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: 'http://localhost' } });
  try {
    globalThis.fetch = fetching('gemini-generate', answer, false);
    const whole = await client.models.generateContent({ model: 'm', contents: 'Hi' });
    expect(whole.text).toBe(answerText);
    expect(whole.functionCalls).toMatchObject([
      { name: 'one', args: { x: 1 } },
      { name: 'two', args: { y: [2] } },
    ]);
    globalThis.fetch = fetching('gemini-generate', answer, true);
    let streamed = '';
    const calls: unknown[] = [];
    let last;
    for await (const chunk of await client.models.generateContentStream({ model: 'm', contents: 'Hi' })) {
      streamed +=
        chunk.candidates?.[0]?.content?.parts
          ?.filter((part) => part.thought !== true)
          .map((part) => part.text ?? '')
          .join('') ?? '';
      calls.push(...(chunk.functionCalls ?? []).map(({ args }) => args));
      last = chunk;
    }
    expect(streamed).toBe(answerText);
    expect(calls).toEqual([{ x: 1 }, { y: [2] }]);
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP' as never);
    expect(last?.usageMetadata).toMatchObject({
      promptTokenCount: 25,
      candidatesTokenCount: 9,
      thoughtsTokenCount: 3,
      cachedContentTokenCount: 5,
    });
  } finally {
    globalThis.fetch = given;
  }
});
