import { describe, expect, test } from 'bun:test';
import { absoluteTime, eventTime, parseTime, relativeTime } from './time.ts';

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

  test('an event has the shortest time that tells when it was; one of a course day and time', () => {
    const at = (text: string) => parseTime(text) ?? expect.unreachable(text);
    const today = at('2026-11-13 23:59:00');
    const shown = (text: string) => [eventTime(at(text), today, false), eventTime(at(text), today, true)];
    expect(shown('2026-11-13 00:00:07')).toEqual(['00:00', '00:00:07']);
    expect(shown('2026-11-12 23:59:59')).toEqual(['11-12', '11-12 23:59']);
    expect(shown('2025-11-13 09:30:00')).toEqual(['2025-11-13', '2025-11-13 09:30']);
  });

  test('a date that does not exist is refused', () => {
    expect(parseTime('2026-02-30 10:00:00')).toBeUndefined();
    expect(parseTime('2026-01-01 24:61')).toBeUndefined();
    expect(parseTime('tomorrow')).toBeUndefined();
  });
});
