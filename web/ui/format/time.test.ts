import { describe, expect, test } from 'bun:test';
import { absoluteTime, parseTime, relativeTime } from './time.ts';

describe('times', () => {
  const now = 1_763_000_000;

  test('relative times read naturally in both languages', () => {
    expect(relativeTime(now - 20, now, 'en')).toBe('just now');
    expect(relativeTime(now - 180, now, 'en')).toBe('3 minutes ago');
    expect(relativeTime(now - 180, now, 'zh')).toBe('3 分钟前');
    expect(relativeTime(now + 12 * 86_400 + 5, now, 'en')).toBe('in 12 days');
  });

  test('a future time is never longer than what is left', () => {
    expect(relativeTime(now + 2 * 86_400 - 1, now, 'en')).toBe('in 1 day');
  });

  test('what absoluteTime writes, parseTime reads', () => {
    expect(parseTime(absoluteTime(now))).toBe(now);
  });

  test('a date that does not exist is refused', () => {
    expect(parseTime('2026-02-30 10:00:00')).toBeUndefined();
    expect(parseTime('2026-01-01 24:61')).toBeUndefined();
    expect(parseTime('tomorrow')).toBeUndefined();
  });
});
