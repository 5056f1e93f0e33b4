import { expect, test } from 'bun:test';
import { laterStatus, textOf } from './report-fields.ts';

test('a text is bounded and has no NUL, which PostgreSQL cannot store', () => {
  expect(textOf('a\0b\0')).toBe('ab');
  expect(textOf('abc', 2)).toBe('ab');
  expect(textOf(7)).toBe('');
});

test('a report in the wrong order does not take a task back to an earlier status', () => {
  expect(laterStatus('IN_PROGRESS', 'QUEUED')).toBe('IN_PROGRESS');
  expect(laterStatus('QUEUED', 'SUBMITTED')).toBe('QUEUED');
  expect(laterStatus('SUBMITTED', 'IN_PROGRESS')).toBe('IN_PROGRESS');
  expect(laterStatus('IN_PROGRESS', 'FAILURE')).toBe('FAILURE');
  expect(laterStatus('UNKNOWN', 'QUEUED')).toBe('QUEUED');
  expect(laterStatus('IN_PROGRESS', 'MODAL')).toBe('MODAL');
});
