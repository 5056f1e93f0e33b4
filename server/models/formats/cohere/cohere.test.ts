import { describe, expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Json } from '#server/models/formats/json.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { cohere } from './index.ts';

const request = (body: Json): Json => {
  const notes: ConversionNote[] = [];
  return cohere.encodeRequest(codecOf('openai-chat').decodeRequest(body, notes), notes) as Json;
};

const tool = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};

describe('a request', () => {
  test('uses Cohere’s names', () => {
    const body = request({
      model: 'command-a',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 5,
      top_p: 0.5,
      top_k: 3,
      stop: ['END'],
      tools: [tool],
      tool_choice: 'required',
      reasoning_effort: 'none',
    });
    expect(body).toMatchObject({
      model: 'command-a',
      max_tokens: 5,
      p: 0.5,
      k: 3,
      stop_sequences: ['END'],
      tools: [tool],
      tool_choice: 'REQUIRED',
      thinking: { type: 'disabled' },
    });
  });

  test('sends the text before a call as its plan', () => {
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const body = request({
      model: 'command-a',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'I look it up.', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: 'warm' },
      ],
    });
    expect((body['messages'] as Json[]).slice(1)).toEqual([
      { role: 'assistant', tool_plan: 'I look it up.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'warm' },
    ]);
  });
});

const delta = (type: string, message: Json, index = 0): Json => ({ type, index, delta: { message } });
const called = (given: Json): Json => ({ tool_calls: given });

const stream = [
  { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } },
  delta('tool-plan-delta', { tool_plan: 'I look ' }),
  delta('tool-plan-delta', { tool_plan: 'it up.' }),
  delta(
    'tool-call-start',
    called({ id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }),
  ),
  delta('tool-call-delta', called({ function: { arguments: '{"city":' } })),
  delta('tool-call-delta', called({ function: { arguments: '"Bern"}' } })),
  { type: 'tool-call-end', index: 0 },
  delta(
    'tool-call-start',
    called({ id: 'b', type: 'function', function: { name: 'now', arguments: '' } }),
    1,
  ),
  { type: 'tool-call-end', index: 1 },
  {
    type: 'message-end',
    delta: {
      finish_reason: 'TOOL_CALL',
      usage: {
        billed_units: { input_tokens: 12, output_tokens: 7 },
        tokens: { input_tokens: 90, output_tokens: 7 },
      },
    },
  },
];

describe('an answer', () => {
  test('streamed: plan, calls with and without arguments, the bill', () => {
    const { choices, usage } = meaningOf(decodeAll(cohere, stream));
    expect(choices.get(0)).toMatchObject({
      reason: 'tool_calls',
      blocks: [
        { type: 'reasoning', text: 'I look it up.' },
        { type: 'tool_call', index: 0, id: 'a', name: 'weather', arguments: '{"city":"Bern"}' },
        { type: 'tool_call', index: 1, id: 'b', name: 'now', arguments: '{}' },
      ],
    });
    expect(usage).toMatchObject({ input: 12, output: 7 });
    expect(usage?.absent).toContain('cacheRead');
  });

  test('whole: text, and why it ended', () => {
    const events = cohere.decodeResponse({
      id: 'c2',
      finish_reason: 'MAX_TOKENS',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      usage: { tokens: { input_tokens: 3, output_tokens: 1 } },
    });
    expect(meaningOf(events).choices.get(0)).toMatchObject({
      reason: 'length',
      blocks: [{ type: 'text', text: 'Hello' }],
    });
  });

  test('refused: Cohere’s sentence', () => {
    expect(cohere.decodeError({ message: 'invalid api token' })?.message).toBe('invalid api token');
    expect(cohere.decodeError({ id: 'x' })).toBeUndefined();
  });
});
