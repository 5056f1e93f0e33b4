import { expect, test } from 'bun:test';
import { textOf } from './report-fields.ts';

test('a text is bounded and has no NUL, which PostgreSQL cannot store', () => {
  expect(textOf('a\0b\0')).toBe('ab');
  expect(textOf('abc', 2)).toBe('ab');
  expect(textOf(7)).toBe('');
});
