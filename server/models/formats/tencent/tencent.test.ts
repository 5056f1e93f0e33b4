import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Json } from '#server/models/formats/json.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { tencent } from './index.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

test('a request has its names in capitals and its schemas as text', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'hunyuan-pro',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'https://a/b.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'warm' },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters } }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      logit_bias: {},
      max_tokens: 5,
    },
    notes,
  );
  const tool = { Type: 'function', Function: { Name: 'weather', Parameters: JSON.stringify(parameters) } };
  expect(tencent.encodeRequest(asked, notes)).toEqual({
    Model: 'hunyuan-pro',
    Messages: [
      {
        Role: 'user',
        Contents: [
          { Type: 'text', Text: 'Look' },
          { Type: 'image_url', ImageUrl: { Url: 'https://a/b.png' } },
        ],
      },
      {
        Role: 'assistant',
        Content: '',
        ToolCalls: [{ Id: 'a', Type: 'function', Function: { Name: 'weather', Arguments: '{}' } }],
      },
      { Role: 'tool', Content: 'warm', ToolCallId: 'a' },
    ],
    Stream: false,
    Tools: [tool],
    ToolChoice: 'custom',
    CustomTool: tool,
  });
  expect(notes.map(({ field }) => field)).toContain('max_tokens');
});

const chunk = (delta: Json, reason = ''): Json => ({
  Id: 'h1',
  Created: 5,
  Choices: [{ Index: 0, Delta: delta, FinishReason: reason }],
  Usage: { PromptTokens: 4, CompletionTokens: 2, TotalTokens: 6 },
});

test('a stream and a whole answer say the same', () => {
  const streamed = decodeAll(tencent, [
    chunk({ Role: 'assistant', Content: 'Hel' }),
    chunk({ Content: 'lo' }),
    chunk({}, 'stop'),
  ]);
  const whole = tencent.decodeResponse({
    Response: {
      Id: 'h1',
      Created: 5,
      Choices: [{ Index: 0, Message: { Role: 'assistant', Content: 'Hello' }, FinishReason: 'stop' }],
      Usage: { PromptTokens: 4, CompletionTokens: 2, TotalTokens: 6 },
    },
  });
  const [left, right] = [meaningOf(streamed), meaningOf(whole)];
  expect(left.choices).toEqual(right.choices);
  expect(left.usage).toMatchObject({ input: 4, output: 2 });
  expect(left.usage).toEqual(right.usage);
});

test('errors are found inside the envelope and inside the stream', () => {
  const error = { Code: 'AuthFailure.SignatureFailure', Message: 'bad signature' };
  expect(tencent.decodeError({ Response: { Error: error } })).toMatchObject({
    code: 'AuthFailure.SignatureFailure',
    message: 'bad signature',
  });
  expect(decodeAll(tencent, [{ ErrorMsg: { Code: 4001, Msg: 'busy' } }])).toMatchObject([
    { type: 'error', code: '4001', message: 'busy' },
  ]);
});
