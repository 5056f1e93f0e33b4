import { expect, test } from 'bun:test';
import { addressOf, jsonOf, laterStatus, progressOf, textOf, timeOf } from './report-fields.ts';

test('a text is bounded and has no NUL, which PostgreSQL cannot store', () => {
  expect(textOf('a\0b\0')).toBe('ab');
  expect(textOf('abc', 2)).toBe('ab');
  expect(textOf(7)).toBe('');
});

test('a report in the wrong order does not take a task back to an earlier status', () => {
  expect(laterStatus('IN_PROGRESS', 'QUEUED')).toBe('IN_PROGRESS');
  expect(laterStatus('QUEUED', 'SUBMITTED')).toBe('QUEUED');
  expect(laterStatus('SUBMITTED', 'NOT_START')).toBe('SUBMITTED');
  expect(laterStatus('SUBMITTED', 'IN_PROGRESS')).toBe('IN_PROGRESS');
  expect(laterStatus('IN_PROGRESS', 'FAILURE')).toBe('FAILURE');
  expect(laterStatus('UNKNOWN', 'QUEUED')).toBe('QUEUED');
  expect(laterStatus('IN_PROGRESS', 'MODAL')).toBe('MODAL');
});

test('progress is a percentage of at most 100', () => {
  for (const [value, progress] of [
    ['37%', '37%'],
    [' 37 ', '37%'],
    [37, '37%'],
    ['99.9%', '99%'],
    ['250%', '100%'],
    [0, '0%'],
    ['1000', undefined],
    ['-1', undefined],
    ['x5', undefined],
    ['5x', undefined],
    [undefined, undefined],
  ] as const)
    expect(progressOf(value)).toBe(progress as string);
});

test('an address is one of the web, of at most 4,000 characters', () => {
  const longest = `https://a.example/${'x'.repeat(4000 - 18)}`;
  expect([addressOf(longest), addressOf('http://a.example')]).toEqual([longest, 'http://a.example']);
  for (const value of [`${longest}x`, 'ftp://a.example', 'a.example', 'https://a.example/\0', 7, undefined])
    expect(addressOf(value)).toBe('');
});

test('a value is kept up to 50,000 characters as JSON', () => {
  const longest = 'x'.repeat(49_998);
  expect([jsonOf(longest), jsonOf(0), jsonOf(false), jsonOf('')]).toEqual([longest, 0, false, '']);
  for (const value of [`${longest}x`, undefined, null]) expect(jsonOf(value)).toBeUndefined();
});

test('a time is after the middle of 2017 and at most a day ahead', () => {
  const now = 1_800_000_000_000;
  const [first, last] = [1_500_000_000_001, now + 86_399_999];
  expect([timeOf(first, now), timeOf(String(last), now)]).toEqual([first, last]);
  for (const value of [first - 1, last + 1, 1_600_000_000_000.5, 'x', undefined])
    expect(timeOf(value, now)).toBe(0);
});

test('a text has at most 8,000 characters where nothing else is said', () => {
  expect(textOf('x'.repeat(8001))).toHaveLength(8000);
});
