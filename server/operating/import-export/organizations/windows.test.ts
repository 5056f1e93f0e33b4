import { expect, test } from 'bun:test';
import { quotaInWindow, secondsOf, windowOf } from './windows.ts';

test.each([
  ['24h', 'day'],
  ['1d', 'day'],
  ['1440m', 'day'],
  ['daily', 'day'],
  ['7d', 'week'],
  ['1w', 'week'],
  ['30d', 'month'],
  ['1mo', 'month'],
  ['1M', 'month'],
  ['monthly', 'month'],
  ['', 'total'],
] as const)('%p is exactly a %s: the amount stays', (duration, period) => {
  const window = windowOf(duration);
  expect(window).toEqual({ period, duration });
  expect(quotaInWindow(12_345, window)).toBe(12_345);
});

test.each([
  ['14d', 'week', 50],
  ['10d', 'week', 70],
  ['3d', 'day', 33],
  ['2mo', 'month', 50],
  ['1y', 'month', 8],
  ['1Q', 'month', 33],
  ['45d', 'month', 66],
  ['1h', 'day', 2400],
  ['30m', 'day', 4800],
] as const)('%p becomes a %s with its share of 100 units: %d', (duration, period, quota) => {
  const window = windowOf(duration);
  expect(window).toMatchObject({ period, duration });
  expect(quotaInWindow(100, window)).toBe(quota);
});

test('a share is never more than the rate there, also of amounts that are no numbers of a float', () => {
  const window = windowOf('7h');
  const units = 2 ** 50 + 1;
  expect(quotaInWindow(units, window)).toBe(Number((BigInt(units) * 24n) / 7n));
  expect(() => quotaInWindow(2 ** 52, windowOf('1h'))).toThrow(RangeError);
});

test.each(['0d', 'd', '-1d', '1.5h', '5 days', '1x', '30D'])(
  '%p is no duration: a budget without an end',
  (text) => {
    expect(secondsOf(text)).toBeUndefined();
    expect(windowOf(text)).toEqual({ period: 'total', duration: text, isUnreadable: true });
  },
);
