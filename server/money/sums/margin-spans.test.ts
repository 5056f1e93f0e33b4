import { expect, test } from 'bun:test';
import { DAY_SECONDS } from '#contract/time.ts';
import { spanEnd, spansOf, spanStart } from './margin-spans.ts';

const day = (number: number) => number * DAY_SECONDS;

test('a second is in the hours of its day, its day and its week', () => {
  const second = day(20_000) + 5;
  expect([0, 1, 7].map((days) => spanStart(second, days))).toEqual([day(20_000), day(20_000), day(19_999)]);
  for (const days of [0, 1, 7] as const) {
    const start = spanStart(second, days);
    expect(spanEnd({ days, day: start })).toBe(start + Math.max(1, days) * DAY_SECONDS);
  }
});

test('days are marked in one order, each span once, whatever order they come in', () => {
  // As texts the later one would come first.
  const days = [day(20_005), day(9), day(20_004), day(20_005)];
  expect(spansOf(days)).toEqual([
    { days: 0, day: day(9) },
    { days: 0, day: day(20_004) },
    { days: 0, day: day(20_005) },
    { days: 1, day: day(9) },
    { days: 1, day: day(20_004) },
    { days: 1, day: day(20_005) },
    { days: 7, day: day(7) },
    { days: 7, day: day(19_999) },
  ]);
});
