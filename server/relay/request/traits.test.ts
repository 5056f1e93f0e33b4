import { expect, test } from 'bun:test';
import { conversationKey, traitsOf } from './traits.ts';

test.each([
  [{ response_format: { type: 'json_object' } }, true],
  [{ response_format: { type: 'json_schema', json_schema: {} } }, true],
  [{ text: { format: { type: 'json_object' } } }, true],
  [{ output_config: { format: { type: 'json_schema' } } }, true],
  [{ generationConfig: { responseMimeType: 'application/json' } }, true],
  [{ generationConfig: { responseSchema: { type: 'object' } } }, true],
  [{ response_format: { type: 'text' } }, false],
  [{ generationConfig: { responseMimeType: 'text/plain' } }, false],
  [{}, false],
])('an answer in a given form, by each format: %j', (fields, wanted) => {
  expect(traitsOf(fields).structuredOutput).toBe(wanted);
});

test('a conversation is recognized by the beginning of its first message, in every format', () => {
  const key = (fields: object) => conversationKey(new Headers(), { ...fields });
  const message = (content: unknown) => ({ role: 'user', content });
  const parts = (text: string) => [{ type: 'input_image' }, { type: 'input_text', text }];
  expect(key({ messages: [{ role: 'system', content: 's' }, message('hi')] })).toBe('hi');
  expect(key({ input: [message(parts('hi'))] })).toBe('hi');
  expect(key({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })).toBe('hi');
  expect(key({ prompt: 'hi' })).toBe('hi');
  expect(key({ messages: [message('x'.repeat(9000))] })).toHaveLength(4000);
  const picture = (url: string) => key({ messages: [message([{ type: 'image_url', image_url: url }])] });
  expect(picture('a')).not.toBe(picture('b'));
  for (const fields of [{}, { messages: [] }, { messages: [null] }, { messages: 7 }])
    expect(typeof key(fields)).toBe('string');
});
