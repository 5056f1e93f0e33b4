import { expect, test } from 'bun:test';
import { forCaller } from './session-event.ts';

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
