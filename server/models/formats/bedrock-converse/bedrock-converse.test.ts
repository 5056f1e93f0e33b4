import { describe, expect, test } from 'bun:test';
import type { CanonicalEvent, ConversionNote } from '#server/models/formats/canonical.ts';
import { codecs } from '#server/models/formats/index.ts';
import { bedrockConverse } from './index.ts';

function encode(chat: Record<string, unknown>, notes: ConversionNote[] = []) {
  const request = codecs['openai-chat']?.decodeRequest({ model: 'nova-pro', ...chat }, notes);
  if (request === undefined) throw new Error('no codec');
  return bedrockConverse.encodeRequest(request, notes) as Record<string, unknown>;
}

const tool = (name: string) => ({
  type: 'function',
  function: { name, description: 'd', parameters: { type: 'object', properties: {} } },
});

describe('requests', () => {
  test('instructions apart, turns merged and begun by the user, calls and results as blocks', () => {
    const body = encode({
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
      ],
      tools: [tool('f')],
    });
    expect(body).toEqual({
      system: [{ text: 'Be kind.' }],
      inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
      messages: [
        { role: 'user', content: [{ text: '…' }] },
        { role: 'assistant', content: [{ text: 'Hi.' }] },
        { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'f', input: { x: 1 } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'one' }] } }] },
      ],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'f',
              description: 'd',
              inputSchema: { json: { type: 'object', properties: {} } },
            },
          },
        ],
      },
    });
  });

  test('a picture by its content is carried; one by its address is noted as lost', () => {
    const notes: ConversionNote[] = [];
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const content = [
      image('data:image/png;base64,AAAA'),
      image('https://x.example/1.png'),
      { type: 'text', text: 'see' },
    ];
    const body = encode({ messages: [{ role: 'user', content }] }, notes);
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ image: { format: 'png', source: { bytes: 'AAAA' } } }, { text: 'see' }] },
    ]);
    expect(notes).toEqual([
      {
        field: 'content.image',
        what: 'dropped',
        detail: 'the upstream takes content, not addresses',
        isAttachment: true,
      },
    ]);
  });

  test('choices of tools; none at all sends no tools', () => {
    const choose = (tool_choice: unknown) =>
      encode({ messages: [{ role: 'user', content: 'x' }], tools: [tool('f')], tool_choice })['toolConfig'];
    expect(choose('required')).toMatchObject({ toolChoice: { any: {} } });
    expect(choose({ type: 'function', function: { name: 'f' } })).toMatchObject({
      toolChoice: { tool: { name: 'f' } },
    });
    expect(choose('auto')).not.toHaveProperty('toolChoice');
    expect(choose('none')).toBeUndefined();
  });

  test('what Converse has no word for is noted, not silent', () => {
    const notes: ConversionNote[] = [];
    encode(
      { messages: [{ role: 'user', content: 'x' }], seed: 1, n: 2, response_format: { type: 'json_object' } },
      notes,
    );
    expect(notes.map(({ field }) => field).sort()).toEqual(['n', 'response_format', 'seed']);
  });
});

describe('answers', () => {
  test('text, signed reasoning, calls, reason and usage outside of the cache', () => {
    const events = bedrockConverse.decodeResponse({
      output: {
        message: {
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
            { text: 'hi' },
            { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 5, outputTokens: 7, cacheReadInputTokens: 3, cacheWriteInputTokens: 2 },
    });
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'reasoning-delta',
      'reasoning-signature',
      'text-delta',
      'tool-call-delta',
      'finish',
      'usage',
    ]);
    expect(events.at(-2)).toMatchObject({ reason: 'tool_calls', raw: 'tool_use' });
    expect(events.at(-1)).toMatchObject({ usage: { input: 5, output: 7, cacheRead: 3, cacheWrite5m: 2 } });
  });

  test('calls in a stream count calls only, and one without arguments is an empty object', () => {
    const decoder = bedrockConverse.decodeStream();
    const frames: [string, unknown][] = [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'let me' } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'a', name: 'f' } } }],
      ['contentBlockStop', { contentBlockIndex: 1 }],
      ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'b', name: 'g' } } }],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"x":' } } }],
      ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '1}' } } }],
      ['contentBlockStop', { contentBlockIndex: 2 }],
      ['messageStop', { stopReason: 'tool_use' }],
      ['metadata', { usage: { inputTokens: 1, outputTokens: 2 } }],
    ];
    const events = frames.flatMap(([event, data]) => decoder.push(event, JSON.stringify(data)));
    const calls = events.filter(
      (event): event is Extract<CanonicalEvent, { type: 'tool-call-delta' }> =>
        event.type === 'tool-call-delta',
    );
    const joined = [0, 1].map((index) =>
      calls
        .filter((call) => call.index === index)
        .map((call) => call.arguments)
        .join(''),
    );
    expect(joined).toEqual(['{}', '{"x":1}']);
    expect(calls.map(({ id }) => id).filter(Boolean)).toEqual(['a', 'b']);
  });

  test('an exception is an error with the status it stands for', () => {
    const [event] = bedrockConverse
      .decodeStream()
      .push('error', '{"type":"error","error":{"type":"throttlingException","message":"slow"}}');
    expect(event).toEqual({ type: 'error', message: 'slow', code: 'throttlingException', status: 429 });
  });
});
