import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { baidu } from './index.ts';

test('a request has instructions apart, turns in turns, and results by the name of their function', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'ernie-4',
      temperature: 0,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'there' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'warm' },
      ],
      seed: 4,
    },
    notes,
  );
  expect(baidu.encodeRequest(asked, notes)).toEqual({
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hi\nthere' },
      { role: 'assistant', content: '', function_call: { name: 'weather', arguments: '{}' } },
      { role: 'function', name: 'weather', content: 'warm' },
    ],
    stream: false,
    temperature: 0.01,
  });
  expect(notes.map(({ what, field }) => `${what} ${field}`)).toEqual(['dropped seed']);
});

test('a stream ends with its last piece, whose usage counts', () => {
  const piece = (result: string, isEnd: boolean, tokens: number): Record<string, unknown> => ({
    id: 'as-1',
    created: 5,
    result,
    is_end: isEnd,
    usage: { prompt_tokens: 3, completion_tokens: tokens, total_tokens: 3 + tokens },
  });
  const { choices, usage } = meaningOf(decodeAll(baidu, [piece('Hel', false, 1), piece('lo', true, 2)]));
  expect(choices.get(0)).toMatchObject({ reason: 'stop', blocks: [{ type: 'text', text: 'Hello' }] });
  expect(usage).toMatchObject({ input: 3, output: 2 });
});

test('a call, a cut and an error inside a 200 are recognised', () => {
  const call = baidu.decodeResponse({ id: 'as-2', function_call: { name: 'now', arguments: '' } });
  expect(meaningOf(call).choices.get(0)).toMatchObject({
    reason: 'tool_calls',
    blocks: [{ id: 'call_as-2', name: 'now', arguments: '{}' }],
  });
  expect(meaningOf(baidu.decodeResponse({ result: 'a', is_truncated: true })).choices.get(0)?.reason).toBe(
    'length',
  );
  const error = { error_code: 18, error_msg: 'Open api qps request limit reached' };
  expect(baidu.decodeError(error)).toMatchObject({ code: '18' });
  expect(decodeAll(baidu, [error])).toMatchObject([{ type: 'error', code: '18' }]);
});
