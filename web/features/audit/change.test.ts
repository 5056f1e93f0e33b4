import { expect, test } from 'bun:test';
import { changeWords, fieldChanges } from './change.ts';

test('a change reads as one line; what stayed is left out', () => {
  const row = { before: '{"role":1,"status":1}', after: '{"role":10,"status":1}' };
  expect(changeWords(row)).toBe('role: 1 → 10');
  expect(fieldChanges(row).map(({ name }) => name)).toEqual(['role', 'status']);
});

test('added and removed fields are listed; a row without values has no summary', () => {
  expect(changeWords({ before: '', after: '{"username":"ana","groups":["a"]}' })).toBe(
    'username: ana, groups: ["a"]',
  );
  expect(changeWords({ before: '{"name":"k"}', after: '' })).toBe('name: k →');
  expect(changeWords({ before: '', after: '' })).toBe('');
  expect(changeWords({ before: 'not json', after: '' })).toBe('');
});
