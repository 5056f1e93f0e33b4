import { expect, test } from 'bun:test';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Json } from '#server/models/formats/json.ts';
import { codecOf, decodeAll, meaningOf } from '#tests/support/formats.ts';
import { spark } from './index.ts';

test('a request is one message with the whole conversation', () => {
  const notes: ConversionNote[] = [];
  const asked = codecOf('openai-chat').decodeRequest(
    {
      model: 'spark-max',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      top_k: 40,
      max_tokens: 9,
      tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }],
    },
    notes,
  );
  expect(spark.encodeRequest(asked, notes)).toEqual({
    header: {},
    parameter: { chat: { top_k: 6, max_tokens: 9 } },
    payload: {
      message: {
        text: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
      functions: { text: [{ name: 'now', parameters: { type: 'object' } }] },
    },
  });
});

const message = (status: number, piece: Json, usage?: Json): Json => ({
  header: { code: 0, sid: 'cht@1', status },
  payload: { choices: { status, text: [piece] }, ...(usage === undefined ? {} : { usage: { text: usage } }) },
});

test('the pieces end with status 2, which brings the usage', () => {
  const { choices, usage, id } = meaningOf(
    decodeAll(spark, [
      message(0, { content: '', reasoning_content: 'Hm' }),
      message(1, { content: 'Hel' }),
      message(2, { content: 'lo' }, { prompt_tokens: 6, completion_tokens: 3, total_tokens: 9 }),
    ]),
  );
  expect(id).toBe('cht@1');
  expect(choices.get(0)).toMatchObject({
    reason: 'stop',
    blocks: [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Hello' },
    ],
  });
  expect(usage).toMatchObject({ input: 6, output: 3 });
});

test('a call ends the answer as one, with an id that others take', () => {
  const call = { function_call: { name: 'now', arguments: '{"a":1}' } };
  const { choices } = meaningOf(decodeAll(spark, [message(2, call)]));
  expect(choices.get(0)).toMatchObject({
    reason: 'tool_calls',
    blocks: [{ id: 'call_cht_1', arguments: '{"a":1}' }],
  });
});

test('codes tell whose fault an error is', () => {
  const status = (code: number): unknown => decodeAll(spark, [{ header: { code, message: 'm' } }])[0];
  expect(status(10013)).toMatchObject({ type: 'error', status: 400 });
  expect(status(11200)).toMatchObject({ status: 401 });
  expect(status(11202)).toMatchObject({ status: 429 });
  expect(status(10222)).toMatchObject({ status: 502 });
  expect(spark.decodeError({ message: 'HMAC signature cannot be verified' })?.message).toContain('HMAC');
});
