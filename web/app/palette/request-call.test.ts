import { expect, test } from 'bun:test';
import { callOfRequest } from './request-call.ts';

test('O23: a request id leads to the log around the time of the call', () => {
  const seconds = Date.parse('2026-11-15T02:30:15Z') / 1000;
  expect(callOfRequest('20261115023015aB3-_xY9')).toMatchObject({
    request: '20261115023015aB3-_xY9',
    from: seconds - 86_400,
    to: seconds + 86_400,
  });
  const time = Date.parse('2026-11-17T04:29:22Z') / 1000;
  expect(callOfRequest('01a1e7c4-4672-75b8-9d13-21801e3f5fad')).toMatchObject({
    request: '01a1e7c4-4672-75b8-9d13-21801e3f5fad',
    from: time - 86_400,
    to: time + 86_400,
  });
  expect(callOfRequest('20261115')).toBeUndefined();
  expect(callOfRequest('gpt-4o')).toBeUndefined();
});
