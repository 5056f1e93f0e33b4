import { expect, test } from 'bun:test';
import { readSeen, seenAfter, unreadOf } from './unread.ts';

const first = { id: 1, updated_at: 100 };
const second = { id: 2, updated_at: 100 };

test('REL-1.19 an announcement is unread until it was seen, and again after it changed', () => {
  expect(unreadOf([first, second], [])).toEqual([first, second]);
  const seen = seenAfter([first, second]);
  expect(unreadOf([first, second], seen)).toEqual([]);
  const changed = { ...second, updated_at: 200 };
  expect(unreadOf([first, changed], seen)).toEqual([changed]);
});

test('a stored list that is damaged counts as empty', () => {
  expect(readSeen(null)).toEqual([]);
  expect(readSeen('{')).toEqual([]);
  expect(readSeen('{"a":1}')).toEqual([]);
  expect(readSeen('["1:2", 3]')).toEqual(['1:2']);
});
