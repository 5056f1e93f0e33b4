import { expect, test } from 'bun:test';
import { closeCode, endingText } from './session-ending.ts';
import { forCaller, withLimit } from './session-event.ts';

test('O16: the session of a mapped model has the caller’s name of it', () => {
  const created =
    '{"type":"session.created","session":{"model":"real-x","audio":{"input":{"model":"whisper"}}}}';
  const mapped = { model: 'mine', upstreamModel: 'real-x' };
  expect(forCaller(created, mapped)).toBe(created.replace('real-x', 'mine'));
  expect(forCaller(Buffer.from(created), mapped)).toBe(created.replace('real-x', 'mine'));
  expect(forCaller(created, { model: 'real-x', upstreamModel: 'real-x' })).toBe(created);
  const text = '{"type":"response.text.delta","delta":"x"}';
  expect(forCaller(text, mapped)).toBe(text);
});

test('a lowered limit has the name that the caller used, else that of the upstream, and nothing else changes', () => {
  const asked = (response?: object) => ({
    type: 'response.create',
    event_id: 'e',
    ...(response && { response }),
  });
  const lowered = (response?: object) =>
    JSON.parse(withLimit(asked(response), 'max_output_tokens', 300)) as unknown;
  expect(lowered()).toEqual(asked({ max_output_tokens: 300 }));
  expect(lowered({ tools: [], max_output_tokens: 900 })).toEqual(
    asked({ tools: [], max_output_tokens: 300 }),
  );
  expect(lowered({ max_response_output_tokens: 'inf' })).toEqual(asked({ max_response_output_tokens: 300 }));
});

test('the log says how a session ended only where something ran or somebody ended it', () => {
  const both = (cause: Parameters<typeof endingText>[0]) => [
    endingText(cause, true),
    endingText(cause, false),
  ];
  expect(both('caller')).toEqual(['client_left', '']);
  expect(both('upstream')).toEqual(['broken', '']);
  expect(both('quota')).toEqual(['quota', 'quota']);
});

test('a code that no server may send closes as usual', () => {
  expect([999, 1004, 1005, 1006, 1015, 5000].map(closeCode)).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
  expect([1000, 1001, 1011, 3000, 4999].map(closeCode)).toEqual([1000, 1001, 1011, 3000, 4999]);
});
