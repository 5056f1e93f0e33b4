import { describe, expect, test } from 'bun:test';
import { axisTicks } from './ticks.ts';

const at = (day: number, hour: number, minute = 0) =>
  Math.floor(new Date(2026, 10, day, hour, minute).getTime() / 1000);
const shown = (time: number) => {
  const date = new Date(time * 1000);
  return `${date.getDate()} ${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`;
};

describe('times under a chart (D38)', () => {
  test('three days: midnights and noons, wherever the range begins', () => {
    expect(axisTicks({ from: at(14, 7), to: at(17, 7) }, 8).map(shown)).toEqual([
      '14 12:00',
      '15 0:00',
      '15 12:00',
      '16 0:00',
      '16 12:00',
      '17 0:00',
    ]);
  });

  test('an hour: even minutes', () => {
    expect(axisTicks({ from: at(14, 7, 3), to: at(14, 8, 3) }, 6).map(shown)).toEqual([
      '14 7:10',
      '14 7:20',
      '14 7:30',
      '14 7:40',
      '14 7:50',
      '14 8:00',
    ]);
  });

  test('never more than asked for, however long the range is, and never outside of it', () => {
    for (const days of [0.02, 0.4, 1, 2, 7, 13, 30, 90])
      for (const most of [1, 2, 5, 12]) {
        const range = { from: at(3, 5, 17), to: at(3, 5, 17) + Math.round(days * 86_400) };
        const ticks = axisTicks(range, most);
        if (days <= 14) expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(range.from);
          expect(tick).toBeLessThan(range.to);
        }
      }
  });
});
