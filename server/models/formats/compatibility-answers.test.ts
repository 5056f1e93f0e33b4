// The points of answers where gateways go wrong, one test for each.
import { describe, expect, test } from 'bun:test';
import { codecOf, decodeAll, encodeAll, framesOf, objectsOf, usageOf } from '#tests/support/formats.ts';
import type { CanonicalEvent } from './canonical.ts';
import { readAnthropicUsage } from './anthropic-messages/index.ts';
import { readGeminiUsage } from './gemini-generate/index.ts';
import type { Json } from './json.ts';
import { readOpenAiUsage } from './openai-usage.ts';

const chat = codecOf('openai-chat');
const anthropic = codecOf('anthropic-messages');
const responses = codecOf('openai-responses');
const gemini = codecOf('gemini-generate');

const start: CanonicalEvent = { type: 'start', id: 'x', model: 'm', created: 5 };
const text = (value: string): CanonicalEvent => ({ type: 'text-delta', choice: 0, text: value });
const call = (
  index: number,
  piece: string,
  opening: { id?: string; name?: string } = {},
): CanonicalEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index,
  arguments: piece,
  ...opening,
});
const finish = (reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'): CanonicalEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw: reason,
});
const used: CanonicalEvent = {
  type: 'usage',
  usage: usageOf({ input: 7, cacheRead: 3, output: 4, reasoning: 2 }),
};

const parallel: CanonicalEvent[] = [
  start,
  text('Let me see.'),
  call(0, '', { id: 'a', name: 'one' }),
  call(1, '{"y"', { id: 'b', name: 'two' }),
  call(0, '{"x":1}'),
  call(1, ':2}'),
  finish('tool_calls'),
  used,
];

const chunk = (delta: Json, reason: string | null = null): Json => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
});

const anthropicStream = (blocks: Json[], delta: Json = { stop_reason: 'end_turn' }): Json[] => [
  {
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
  },
  { type: 'ping' },
  ...blocks,
  { type: 'message_delta', delta, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
];

describe('compatibility 1: parallel calls keep their own index', () => {
  test('Anthropic’s block index is not the call’s index', () => {
    const events = decodeAll(
      anthropic,
      anthropicStream([
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'tool_use', id: 'a', name: 'one', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 1,
          delta: { type: 'input_json_delta', partial_json: '{"x":1}' },
        },
        { type: 'content_block_stop', index: 1 },
        {
          type: 'content_block_start',
          index: 2,
          content_block: { type: 'tool_use', id: 'b', name: 'two', input: {} },
        },
        { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
        { type: 'content_block_stop', index: 2 },
      ]),
    );
    const indexes = objectsOf(encodeAll('openai-chat', events)).flatMap((body) => {
      const [choice] = body['choices'] as { delta: { tool_calls?: { index: number; id?: string }[] } }[];
      return choice?.delta.tool_calls?.map(({ index, id }) => `${index}${id ?? ''}`) ?? [];
    });
    expect(indexes).toEqual(['0a', '0', '1b', '1']);
  });

  test('Gemini’s calls, one in each chunk, are told apart', () => {
    const part = (name: string): Json => ({
      candidates: [{ content: { parts: [{ functionCall: { name, args: { n: 1 } } }] }, index: 0 }],
      responseId: 'r1',
    });
    const calls = decodeAll(gemini, [part('one'), part('one')]).filter(
      ({ type }) => type === 'tool-call-delta',
    );
    expect(calls).toMatchObject([
      { index: 0, id: 'call_r1_0' },
      { index: 1, id: 'call_r1_1' },
    ]);
  });

  test('calls that an upstream all numbers 0 are told apart by their ids', () => {
    const piece = (id: string, name: string): Json =>
      chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '{}' } }] });
    const calls = decodeAll(chat, [piece('a', 'one'), piece('b', 'two')]).filter(
      ({ type }) => type === 'tool-call-delta',
    );
    expect(calls).toMatchObject([
      { index: 0, id: 'a', name: 'one' },
      { index: 1, id: 'b', name: 'two' },
    ]);
  });

  test('pieces that come in turns make whole Anthropic blocks, one after another', () => {
    const events = objectsOf(encodeAll('anthropic-messages', parallel)).map(
      ({ type, index }) => `${String(type)} ${typeof index === 'number' ? index : ''}`,
    );
    expect(events).toEqual([
      'message_start ',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'message_delta ',
      'message_stop ',
    ]);
    expect(
      anthropic.encodeResponse(decodeAll(anthropic, framesOf(encodeAll('anthropic-messages', parallel)))),
    ).toMatchObject({
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'a', input: { x: 1 } },
        { type: 'tool_use', id: 'b', input: { y: 2 } },
      ],
    });
  });
});

describe('compatibility 2: a call is why the answer ended', () => {
  const stopped = [start, text('I look.'), call(0, '{}', { id: 'a', name: 'one' }), finish('stop')];

  test('stop with calls is tool_use, also after text, whole and streamed', () => {
    expect(anthropic.encodeResponse(stopped)).toMatchObject({ stop_reason: 'tool_use' });
    expect(encodeAll('anthropic-messages', stopped)).toContain('"stop_reason":"tool_use"');
    expect(chat.encodeResponse(stopped)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(encodeAll('openai-chat', stopped)).toContain('"finish_reason":"tool_calls"');
  });

  test('a chat upstream’s stop with calls is decoded as a call', () => {
    const events = decodeAll(chat, [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }] }),
      chunk({}, 'stop'),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls', raw: 'stop' });
  });

  test('what was cut off says so in every format', () => {
    const cut = [start, text('a'), finish('length')];
    expect(gemini.encodeResponse(cut)).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
    expect(anthropic.encodeResponse(cut)).toMatchObject({ stop_reason: 'max_tokens' });
    expect(responses.encodeResponse(cut)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(chat.encodeResponse(cut)).toMatchObject({ choices: [{ finish_reason: 'length' }] });
  });

  test('the stop sequence that was hit is named', () => {
    const events = anthropic.decodeResponse({
      content: [{ type: 'text', text: 'a' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
    expect(anthropic.encodeResponse(events)).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
    const copied = chat.decodeResponse({
      choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop', stop_reason: 'END' }],
    });
    expect(anthropic.encodeResponse(copied)).toMatchObject({ stop_sequence: 'END' });
  });
});

test('compatibility 3: finish_reason is null until the end, and names come once', () => {
  const bodies = objectsOf(encodeAll('openai-chat', parallel));
  const choices = bodies.flatMap((body) => body['choices'] as Json[]);
  expect(choices.slice(0, -1).every((choice) => choice['finish_reason'] === null)).toBe(true);
  expect(choices.at(-1)?.['finish_reason']).toBe('tool_calls');
  const calls = choices.flatMap(
    (choice) => (choice['delta'] as { tool_calls?: { function: Json }[] }).tool_calls ?? [],
  );
  expect(calls.map((piece) => 'name' in piece.function)).toEqual([true, true, false, false]);
});

describe('compatibility 4: usage comes last and only when asked for', () => {
  test('the chunk has empty choices and stands before [DONE]', () => {
    const frames = framesOf(encodeAll('openai-chat', [start, text('a'), finish('stop'), used]));
    expect(frames.at(-1)?.data).toBe('[DONE]');
    expect(JSON.parse(frames.at(-2)?.data ?? '')).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10 },
    });
    expect(
      encodeAll('openai-chat', [start, text('a'), finish('stop'), used], { includeUsage: false }),
    ).not.toContain('usage');
  });

  test('a chunk of an upstream without choices is only usage', () => {
    const events = decodeAll(chat, [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }]);
    expect(events.map(({ type }) => type)).toEqual(['usage']);
  });
});

test('compatibility 5: message_start has the prompt’s size, message_delta the exact counts', () => {
  const bodies = objectsOf(
    encodeAll('anthropic-messages', [start, text('a'), finish('stop'), used], { estimatedInput: 1234 }),
  );
  expect(bodies[0]).toMatchObject({ message: { usage: { input_tokens: 1234 } } });
  expect(bodies.at(-2)).toMatchObject({
    type: 'message_delta',
    usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 6 },
  });
});

describe('compatibility 6: token classes are disjoint, and absent is not 0', () => {
  test('the same call counted by three suppliers is the same usage', () => {
    const wanted = { input: 60, cacheRead: 40, output: 10, reasoning: 20 };
    expect(
      readOpenAiUsage({
        prompt_tokens: 100,
        completion_tokens: 30,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 20 },
      }),
    ).toMatchObject(wanted);
    expect(
      readAnthropicUsage({
        input_tokens: 60,
        cache_read_input_tokens: 40,
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 20 },
      }),
    ).toMatchObject(wanted);
    expect(
      readGeminiUsage({
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 20,
        totalTokenCount: 130,
      }),
    ).toMatchObject(wanted);
  });

  test('cache writes keep their duration', () => {
    expect(
      readAnthropicUsage({
        input_tokens: 1,
        output_tokens: 1,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      }),
    ).toMatchObject({ cacheWrite5m: 10, cacheWrite1h: 20 });
    expect(
      readAnthropicUsage({ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 30 }),
    ).toMatchObject({
      cacheWrite5m: 30,
      cacheWrite1h: 0,
    });
  });

  test('usage that was not reported stays absent', () => {
    const events = decodeAll(chat, [{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } }]);
    expect(anthropic.encodeResponse(events)).toMatchObject({
      usage: { input_tokens: 5, cache_read_input_tokens: null },
    });
    expect(gemini.encodeResponse(events)).not.toHaveProperty('usageMetadata.cachedContentTokenCount');
    const zero = decodeAll(chat, [
      {
        choices: [],
        usage: { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 0 } },
      },
    ]);
    expect(anthropic.encodeResponse(zero)).toMatchObject({ usage: { cache_read_input_tokens: 0 } });
    expect(gemini.encodeResponse(zero)).toHaveProperty('usageMetadata.cachedContentTokenCount', 0);
  });

  test('usage repeated at the end of an Anthropic stream is counted once', () => {
    const [, usage] = decodeAll(anthropic, anthropicStream([])).slice(-2);
    expect(usage).toMatchObject({ type: 'usage', usage: { input: 9, output: 20 } });
  });
});

test('compatibility 7: thoughts are streamed in one block with their signature, through chat and back', () => {
  const thoughts = decodeAll(
    anthropic,
    anthropicStream([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'S1' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'R1' } },
      { type: 'content_block_stop', index: 1 },
    ]),
  );
  const through = decodeAll(chat, framesOf(encodeAll('openai-chat', thoughts)));
  expect(anthropic.encodeResponse(through)).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'S1' },
      { type: 'redacted_thinking', data: 'R1' },
    ],
  });
  const deltas = objectsOf(encodeAll('anthropic-messages', thoughts))
    .filter((body) => body['index'] === 0)
    .map((body) => (body['delta'] as Json | undefined)?.['type'] ?? body['type']);
  expect(deltas).toEqual([
    'content_block_start',
    'thinking_delta',
    'thinking_delta',
    'signature_delta',
    'content_block_stop',
  ]);
});

test('compatibility 8: Gemini’s signature of a call reaches every caller', () => {
  const events = gemini.decodeResponse({
    candidates: [
      {
        content: { parts: [{ functionCall: { name: 'one', args: {} }, thoughtSignature: 'G1' }] },
        finishReason: 'STOP',
      },
    ],
    responseId: 'r',
  });
  expect(chat.encodeResponse(events)).toMatchObject({
    choices: [{ message: { tool_calls: [{ extra_content: { google: { thought_signature: 'G1' } } }] } }],
  });
  expect(encodeAll('openai-chat', events)).toContain('"thought_signature":"G1"');
  expect(anthropic.encodeResponse(events)).toMatchObject({
    content: [{ type: 'thinking', signature: 'tg1.google..G1' }, { type: 'tool_use' }],
  });
  expect(responses.encodeResponse(events)).toMatchObject({
    output: [{ type: 'reasoning', encrypted_content: 'tg1.google..G1' }, { type: 'function_call' }],
  });
});

describe('compatibility 9: the life of a response', () => {
  const bodies = objectsOf(
    encodeAll('openai-responses', [start, text('Hel'), text('lo'), finish('stop'), used]),
  );

  test('every event comes in its order, numbered, and in its place', () => {
    expect(bodies.map((body) => body['type'])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(bodies.map((body) => body['sequence_number'])).toEqual([...bodies.keys()]);
    for (const body of bodies.slice(3, 8)) expect(body).toMatchObject({ output_index: 0, content_index: 0 });
    expect(framesOf(encodeAll('openai-responses', [start]))[0]?.event).toBe('response.created');
  });

  test('the closing event holds the whole response', () => {
    expect(bodies.at(-1)?.['response']).toMatchObject({
      id: 'resp_x',
      object: 'response',
      model: 'm',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }],
      usage: {
        input_tokens: 10,
        output_tokens: 6,
        total_tokens: 16,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  test('arguments are streamed and sent whole at the end', () => {
    const events = objectsOf(encodeAll('openai-responses', parallel));
    const done = events.filter((body) => body['type'] === 'response.function_call_arguments.done');
    expect(done.map((body) => body['arguments'])).toEqual(['{"x":1}', '{"y":2}']);
    const added = events.filter((body) => body['type'] === 'response.output_item.added');
    expect(added.map((body) => body['output_index'])).toEqual([0, 1, 2]);
  });
});

describe('compatibility 16: a call without arguments has an empty object', () => {
  test('from Anthropic’s empty piece', () => {
    const events = decodeAll(
      anthropic,
      anthropicStream([
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'a', name: 'now', input: {} },
        },
        { type: 'ping' },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
        { type: 'content_block_stop', index: 0 },
      ]),
    );
    const written = objectsOf(encodeAll('openai-chat', events));
    const given = written
      .flatMap(
        (body) => body['choices'] as { delta: { tool_calls?: { function: { arguments: string } }[] } }[],
      )
      .flatMap((choice) => choice.delta.tool_calls ?? [])
      .map((piece) => piece.function.arguments)
      .join('');
    expect(given).toBe('{}');
  });

  test('from a chat upstream that says nothing, and from Gemini without args', () => {
    const silent = decodeAll(chat, [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'now', arguments: '' } }] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(responses.encodeResponse(silent)).toMatchObject({ output: [{ arguments: '{}' }] });
    const bare = gemini.decodeResponse({
      candidates: [{ content: { parts: [{ functionCall: { name: 'now' } }] } }],
    });
    expect(bare).toContainEqual(expect.objectContaining({ name: 'now', arguments: '{}' }));
  });
});

describe('compatibility 19: errors in the caller’s words', () => {
  const error: CanonicalEvent = { type: 'error', message: 'slow down', code: 'x', status: 429 };

  test('each dialect has its shape, whole and streamed', () => {
    expect(chat.encodeResponse([error])).toMatchObject({
      error: { message: 'slow down', type: 'upstream_error' },
    });
    expect(anthropic.encodeResponse([error])).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow down' },
    });
    expect(gemini.encodeResponse([error])).toEqual({
      error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' },
    });
    expect(encodeAll('anthropic-messages', [start, text('a'), error])).toEndWith(
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}\n\n',
    );
    const events = objectsOf(encodeAll('openai-responses', [start, text('a'), error]));
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: 'rate_limit_exceeded', message: 'slow down' },
      { type: 'response.failed', response: { status: 'failed', error: { code: 'rate_limit_exceeded' } } },
    ]);
  });

  test('errors amid a stream are read in every dialect', () => {
    expect(
      decodeAll(anthropic, [{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]),
    ).toMatchObject([{ type: 'error', status: 529, message: 'busy' }]);
    expect(
      decodeAll(gemini, [{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }]),
    ).toMatchObject([{ type: 'error', status: 503, code: 'UNAVAILABLE' }]);
    expect(
      decodeAll(responses, [{ type: 'error', code: 'rate_limit_exceeded', message: 'busy' }]),
    ).toMatchObject([{ type: 'error', status: 429 }]);
    expect(
      decodeAll(responses, [
        { type: 'response.failed', response: { error: { code: 'server_error', message: 'no' } } },
      ]).at(-1),
    ).toMatchObject({ type: 'error', message: 'no' });
  });
});

test('compatibility 20: events have names where the dialect has them, and [DONE] is chat’s alone', () => {
  const events = [start, text('a'), finish('stop'), used];
  expect(framesOf(encodeAll('anthropic-messages', events)).every(({ event }) => event !== '')).toBe(true);
  expect(framesOf(encodeAll('openai-responses', events)).every(({ event }) => event !== '')).toBe(true);
  expect(framesOf(encodeAll('openai-chat', events)).every(({ event }) => event === '')).toBe(true);
  for (const format of ['anthropic-messages', 'openai-responses', 'gemini-generate'])
    expect(encodeAll(format, events)).not.toContain('[DONE]');
});
