import { describe, expect, test } from 'bun:test';
import type { ConversionNote } from '#server/formats/canonical.ts';
import type { Json } from '#server/formats/json.ts';
import { codecOf, meaningOf } from '#server/formats/testing.ts';
import { bedrockConverse } from './index.ts';

function request(body: Json): { body: Json; told: string[] } {
  const notes: ConversionNote[] = [];
  const asked = codecOf('anthropic-messages').decodeRequest(body, notes);
  const encoded = bedrockConverse.encodeRequest(asked, notes) as Json;
  return { body: encoded, told: notes.map(({ what, field }) => `${what} ${field}`) };
}

const cache_control = { type: 'ephemeral' };
const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'now', input: {} }] };
const answered = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }] };
const tools = [{ name: 'now', input_schema: { type: 'object' }, cache_control }];

describe('a request', () => {
  test('compatibility 11: marks of the cache are points after what they mark', () => {
    const { body } = request({
      max_tokens: 5,
      system: [{ type: 'text', text: 's', cache_control }],
      tools,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
    });
    const point = { cachePoint: { type: 'default' } };
    expect(body).toEqual({
      system: [{ text: 's' }, point],
      messages: [{ role: 'user', content: [{ text: 'Hi' }, point] }],
      inferenceConfig: { maxTokens: 5 },
      toolConfig: {
        tools: [{ toolSpec: { name: 'now', inputSchema: { json: { type: 'object' } } } }, point],
      },
    });
  });

  test('calls, results and turns stand as Bedrock wants them', () => {
    const { body } = request({ messages: [{ role: 'user', content: 'Hi' }, called, answered], tools });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'now', input: {} } }] },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'a', content: [{ text: '(empty)' }], status: 'error' } }],
      },
    ]);
  });

  test('tools are told of when calls were made, even if none may be made now', () => {
    const none = { tool_choice: { type: 'none' }, tools };
    expect(request({ ...none, messages: [{ role: 'user', content: 'Hi' }] }).body).not.toHaveProperty(
      'toolConfig',
    );
    const { body } = request({ ...none, messages: [{ role: 'user', content: 'Hi' }, called, answered] });
    expect(body).toHaveProperty('toolConfig.tools');
  });

  test('compatibility 18: media go by content; an address is dropped and said', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://a.com/b.png' } },
      {
        type: 'document',
        title: 'a.b.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'BB==' },
      },
    ];
    const { body, told } = request({ messages: [{ role: 'user', content }] });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { image: { format: 'png', source: { bytes: 'AA==' } } },
          { document: { format: 'pdf', name: 'a-b-pdf', source: { bytes: 'BB==' } } },
        ],
      },
    ]);
    expect(told).toContain('dropped content.image');
  });

  test('compatibility 7: signed and hidden thoughts go back, others do not', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'S' },
      { type: 'redacted_thinking', data: 'R' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'text', text: 'x' },
    ];
    const { body, told } = request({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
      ],
    });
    expect((body['messages'] as Json[])[1]).toEqual({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm', signature: 'S' } } },
        { reasoningContent: { redactedContent: 'R' } },
        { text: 'x' },
      ],
    });
    expect(told).toContain('dropped content.reasoning');
  });
});

const frames: [string, Json][] = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Let me see.' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'a', name: 'weather' } } }],
  ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"city":"Bern"}' } } }],
  ['contentBlockStop', { contentBlockIndex: 1 }],
  ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'b', name: 'now' } } }],
  ['contentBlockStop', { contentBlockIndex: 2 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 8, outputTokens: 4, cacheReadInputTokens: 90, totalTokens: 102 } }],
];

describe('an answer', () => {
  test('streamed: calls count themselves, an empty call is an empty object, usage is disjoint', () => {
    const decoder = bedrockConverse.decodeStream();
    const events = frames.flatMap(([event, data]) => decoder.push(event, JSON.stringify(data)));
    const { choices, usage } = meaningOf(events);
    expect(choices.get(0)).toMatchObject({
      reason: 'tool_calls',
      blocks: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_call', index: 0, id: 'a', arguments: '{"city":"Bern"}' },
        { type: 'tool_call', index: 1, id: 'b', arguments: '{}' },
      ],
    });
    expect(usage).toMatchObject({ input: 8, cacheRead: 90, output: 4 });
  });

  test('whole: thoughts with their proof, and the guardrail’s ending', () => {
    const events = bedrockConverse.decodeResponse({
      output: {
        message: {
          content: [{ reasoningContent: { reasoningText: { text: 'Hm', signature: 'S' } } }, { text: 'No.' }],
        },
      },
      stopReason: 'guardrail_intervened',
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    expect(meaningOf(events).choices.get(0)).toMatchObject({
      reason: 'content_filter',
      blocks: [
        { type: 'reasoning', text: 'Hm', signature: 'S', origin: 'anthropic' },
        { type: 'text', text: 'No.' },
      ],
    });
  });

  test('refused: the kind without its prefix', () => {
    expect(
      bedrockConverse.decodeError({ __type: 'com.amazon.coral#ThrottlingException', message: 'slow' }),
    ).toEqual({ message: 'slow', type: 'ThrottlingException', code: 'ThrottlingException' });
  });
});
