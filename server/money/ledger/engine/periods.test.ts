import { describe, expect, test } from 'bun:test';
import { periodAt, periodStart, type Schedule } from './periods.ts';

const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const textOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

describe('the periods of a subscription', () => {
  test('a month ends on the day of the start, or on the last day of a shorter month', () => {
    const schedule: Schedule = {
      startedAt: at('2027-10-31T13:45:10'),
      intervalUnit: 'month',
      intervalCount: 1,
    };
    expect([0, 1, 2, 3, 4, 5, 16, 28].map((period) => textOf(periodStart(schedule, period)))).toEqual([
      '2027-10-31T13:45:10',
      '2027-11-30T13:45:10',
      '2027-12-31T13:45:10',
      '2028-01-31T13:45:10',
      '2028-02-29T13:45:10',
      '2028-03-31T13:45:10',
      '2029-02-28T13:45:10',
      '2030-02-28T13:45:10',
    ]);
  });

  test('a day has 86,400 seconds on every day of the year', () => {
    const schedule: Schedule = {
      startedAt: at('2027-03-27T02:30:00'),
      intervalUnit: 'day',
      intervalCount: 1,
    };
    expect([1, 2, 219].map((period) => textOf(periodStart(schedule, period)))).toEqual([
      '2027-03-28T02:30:00',
      '2027-03-29T02:30:00',
      '2027-11-01T02:30:00',
    ]);
  });

  test('a time belongs to one period: a period begins with its first second', () => {
    for (const schedule of [
      { startedAt: at('2027-01-31T23:59:59'), intervalUnit: 'month', intervalCount: 1 },
      { startedAt: at('2028-02-29T00:00:00'), intervalUnit: 'month', intervalCount: 12 },
      { startedAt: at('2027-01-31T12:00:00'), intervalUnit: 'day', intervalCount: 7 },
    ] satisfies Schedule[]) {
      expect(periodAt(schedule, schedule.startedAt - 1)).toBe(-1);
      for (let period = 0; period < 60; period += 1) {
        expect(periodAt(schedule, periodStart(schedule, period))).toBe(period);
        expect(periodAt(schedule, periodStart(schedule, period + 1) - 1)).toBe(period);
      }
    }
  });
});
