import { expect, test } from 'bun:test';
import { limitRows } from './limits.tsx';

test('each model of which something is known has one row, the paused ones first', () => {
  const requests = { left: 0, limit: 50, reset_at: 90 };
  const rows = limitRows({
    pauses: [
      { model: '', cause: 'quota', until: 60 },
      { model: 'gpt-4o', cause: 'requests', until: 90 },
    ],
    left: [
      { model: 'o3', requests, tokens: null },
      { model: 'gpt-4o', requests, tokens: null },
    ],
  });
  expect(rows.map(({ model, pause, requests: left }) => [model, pause?.until, left?.left])).toEqual([
    ['', 60, undefined],
    ['gpt-4o', 90, 0],
    ['o3', undefined, 0],
  ]);
});
