import { expect, test } from 'bun:test';
import { changeWords, fieldChanges } from './change.ts';
import { timeWord } from './words.ts';

const stored = { field: (name: string) => name, value: timeWord };

test('A15: moments are shown as times, names and ways in by their words', () => {
  const words = { field: (name: string) => ({ how: 'by' })[name] ?? name, value: timeWord };
  expect(changeWords({ before: '', after: '{"how":"password"}' }, words)).toBe('by: password');
  const row = { before: '', after: '{"target_timestamp":1794000000,"quota":1794000000}' };
  expect(changeWords(row, words)).toMatch(/^target_timestamp: 2026-\d\d-\d\d [\d:]+, quota: 1794000000$/);
});

test('a change reads as one line; what stayed is left out', () => {
  const row = { before: '{"role":1,"status":1}', after: '{"role":10,"status":1}' };
  expect(changeWords(row, stored)).toBe('role: 1 → 10');
  expect(fieldChanges(row).map(({ name }) => name)).toEqual(['role', 'status']);
});

test('added and removed fields are listed; a row without values has no summary', () => {
  expect(changeWords({ before: '', after: '{"username":"ana","groups":["a"]}' }, stored)).toBe(
    'username: ana, groups: ["a"]',
  );
  expect(changeWords({ before: '{"name":"k"}', after: '' }, stored)).toBe('name: k →');
  expect(changeWords({ before: '', after: '' }, stored)).toBe('');
  expect(changeWords({ before: 'not json', after: '' }, stored)).toBe('');
});
