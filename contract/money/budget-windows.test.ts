import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import {
  BUDGETS_OF_UTC,
  budgetCalendar,
  budgetEnd,
  budgetWindow,
  type BudgetZones,
} from './budget-windows.ts';

const at = (text: string) => Date.parse(text) / 1000;
const HOUR = 3600;
const of = (zone: string): BudgetZones => ({ zone, left: [] });
const text = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((second) => new Date(second * 1000).toISOString().slice(0, 16));

describe('windows of budgets', () => {
  test.each([
    ['UTC', '2026-02-10T20:00:00Z', ['2026-02-10T00:00', '2026-02-11T00:00']],
    ['Asia/Shanghai', '2026-02-10T16:30:00Z', ['2026-02-10T16:00', '2026-02-11T16:00']],
    ['Asia/Shanghai', '2026-02-10T15:59:59Z', ['2026-02-09T16:00', '2026-02-10T16:00']],
    // A day of 23 hours and one of 25.
    ['America/New_York', '2026-03-08T12:00:00Z', ['2026-03-08T05:00', '2026-03-09T04:00']],
    ['America/New_York', '2026-11-01T12:00:00Z', ['2026-11-01T04:00', '2026-11-02T05:00']],
  ])('in %s the day of %s is %j', (zone, now, day) => {
    expect(text(budgetWindow(of(zone), 'day', at(now)))).toEqual(day);
  });

  test.each([
    ['UTC', '2026-02-11T20:00:00Z', ['2026-02-09T00:00', '2026-02-16T00:00']],
    // Sunday evening there is still the same week, and Monday begins the next one.
    ['Asia/Shanghai', '2026-02-15T15:59:59Z', ['2026-02-08T16:00', '2026-02-15T16:00']],
    ['Asia/Shanghai', '2026-02-15T16:00:00Z', ['2026-02-15T16:00', '2026-02-22T16:00']],
    ['America/New_York', '2026-03-08T12:00:00Z', ['2026-03-02T05:00', '2026-03-09T04:00']],
  ])('in %s the week of %s begins on Monday: %j', (zone, now, week) => {
    expect(text(budgetWindow(of(zone), 'week', at(now)))).toEqual(week);
  });

  test('a day that begins within an hour of UTC begins with the next hour, and no hour is in two days or in none', () => {
    const kolkata = of('Asia/Kolkata');
    // Midnight there is 18:30.
    expect(text(budgetWindow(kolkata, 'day', at('2026-02-10T18:59:59Z')))).toEqual([
      '2026-02-09T19:00',
      '2026-02-10T19:00',
    ]);
    expect(text(budgetWindow(kolkata, 'day', at('2026-02-10T19:00:00Z')))).toEqual([
      '2026-02-10T19:00',
      '2026-02-11T19:00',
    ]);
    for (const zone of ['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])
      for (let now = at('2026-10-01T00:10:00Z'); now < at('2026-11-20T00:00:00Z'); now += HOUR) {
        const { start, end } = budgetWindow(of(zone), 'day', now);
        expect([start % HOUR, end % HOUR, start <= now, now < end]).toEqual([0, 0, true, true]);
        expect(budgetWindow(of(zone), 'day', end).start).toBe(end);
      }
  });

  test('a month begins at the site’s midnight of its first day', () => {
    expect(text(budgetWindow(of('Asia/Shanghai'), 'month', at('2026-01-31T16:00:00Z')))).toEqual([
      '2026-01-31T16:00',
      '2026-02-28T16:00',
    ]);
    expect(text(budgetWindow(BUDGETS_OF_UTC, 'month', at('2028-02-28T00:00:00Z')))).toEqual([
      '2028-02-01T00:00',
      '2028-03-01T00:00',
    ]);
  });

  test('a change of the zone opens nothing: the open day ends as it began, however often the zone changes', () => {
    const changed = at('2026-02-10T18:00:00Z');
    const moved: BudgetZones = { zone: 'Asia/Shanghai', left: [{ zone: 'UTC', at: changed }] };
    // Midnight of Shanghai was at 16:00, before the change.
    expect(text(budgetWindow(moved, 'day', changed))).toEqual(['2026-02-10T00:00', '2026-02-11T00:00']);
    expect(text(budgetWindow(moved, 'day', at('2026-02-10T23:59:59Z')))).toEqual([
      '2026-02-10T00:00',
      '2026-02-11T00:00',
    ]);
    expect(text(budgetWindow(moved, 'day', at('2026-02-11T00:00:00Z')))).toEqual([
      '2026-02-10T16:00',
      '2026-02-11T16:00',
    ]);
    expect(text(budgetWindow(moved, 'month', at('2026-02-28T23:00:00Z')))).toEqual([
      '2026-02-01T00:00',
      '2026-03-01T00:00',
    ]);
    const again: BudgetZones = {
      zone: 'America/New_York',
      left: [...moved.left, { zone: 'Asia/Shanghai', at: changed + HOUR }],
    };
    expect(text(budgetWindow(again, 'day', at('2026-02-10T23:59:59Z')))).toEqual([
      '2026-02-10T00:00',
      '2026-02-11T00:00',
    ]);
    expect(text(budgetWindow(again, 'day', at('2026-02-11T00:00:00Z')))).toEqual([
      '2026-02-10T05:00',
      '2026-02-11T05:00',
    ]);
  });

  test('a calendar answers as if it remembered nothing', () => {
    const zones: BudgetZones = {
      zone: 'America/New_York',
      left: [{ zone: 'UTC', at: at('2026-10-31T22:00:00Z') }],
    };
    const calendar = budgetCalendar(zones);
    for (let now = at('2026-10-30T00:00:00Z'); now < at('2026-12-02T00:00:00Z'); now += 1799)
      for (const period of ['day', 'month'] as const)
        expect(calendar(period, now)).toEqual(budgetWindow(zones, period, now));
    expect(calendar('day', at('2026-11-01T01:00:00Z'))).toEqual(
      budgetWindow(zones, 'day', at('2026-11-01T01:00:00Z')),
    );
  });
});

describe('when a refused caller may come again', () => {
  afterEach(() => void setSystemTime());

  test('is the whole hour that is nearest to what it is told to wait', () => {
    setSystemTime(new Date('2026-02-10T21:15:00.900Z'));
    const midnight = at('2026-02-11T00:00:00Z');
    // The seconds were counted before or after the second in which they are read.
    expect([9898, 9899, 9900].map(budgetEnd)).toEqual([midnight, midnight, midnight]);
    expect(budgetEnd(9899 + 86_400)).toBe(midnight + 86_400);
  });
});
