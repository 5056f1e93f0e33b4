// Days of a site in zones with and without changes of the clock.
import { expect, test } from 'bun:test';
import {
  addDays,
  dayFinder,
  daysBetween,
  daySpan,
  daysFrom,
  dayStart,
  hasWholeHours,
  siteDay,
  siteMonth,
  siteMonthSpan,
} from './site-day.ts';

const at = (text: string) => Date.parse(text) / 1000;
const hours = (zone: string, day: string) => {
  const { start, end } = daySpan(zone, day);
  return (end - start) / 3600;
};

test('a day begins at midnight of the zone', () => {
  expect(dayStart('UTC', '2026-11-17')).toBe(at('2026-11-17T00:00:00Z'));
  expect(dayStart('Asia/Shanghai', '2026-11-17')).toBe(at('2026-11-16T16:00:00Z'));
  expect(dayStart('America/Los_Angeles', '2026-11-17')).toBe(at('2026-11-17T08:00:00Z'));
  expect(dayStart('Asia/Kolkata', '2026-11-17')).toBe(at('2026-11-16T18:30:00Z'));
  expect(dayStart('Pacific/Kiritimati', '2026-11-17')).toBe(at('2026-11-16T10:00:00Z'));
  expect(dayStart('Pacific/Pago_Pago', '2026-11-17')).toBe(at('2026-11-17T11:00:00Z'));
});

test('a day has 23 or 25 hours where the clocks change, also where midnight itself is skipped', () => {
  expect([hours('Europe/Berlin', '2026-03-29'), hours('Europe/Berlin', '2026-10-25')]).toEqual([23, 25]);
  expect([hours('America/New_York', '2026-03-08'), hours('America/New_York', '2026-11-01')]).toEqual([
    23, 25,
  ]);
  expect(hours('Australia/Lord_Howe', '2026-04-05')).toBe(24.5);
  // Midnight did not exist: the day began at one o'clock.
  expect(dayStart('America/Sao_Paulo', '2018-11-04')).toBe(at('2018-11-04T03:00:00Z'));
  expect([hours('America/Sao_Paulo', '2018-11-04'), hours('America/Sao_Paulo', '2018-02-17')]).toEqual([
    23, 25,
  ]);
  // The day was left out.
  expect(hours('Pacific/Apia', '2011-12-30')).toBe(0);
});

test.each(['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Pacific/Apia'])(
  'in %s every second belongs to one day, and days follow each other',
  (zone) => {
    for (const first of ['2011-12-20', '2018-10-28', '2026-03-20', '2026-10-20'])
      for (const day of daysFrom(first, addDays(first, 20))) {
        const { start, end } = daySpan(zone, day);
        expect(daySpan(zone, addDays(day, 1)).start).toBe(end);
        if (start === end) continue;
        expect([siteDay(zone, start), siteDay(zone, end - 1)]).toEqual([day, day]);
        expect(siteDay(zone, start - 1) < day).toBe(true);
      }
  },
);

test('months, distances and the day of an hour', () => {
  expect(siteMonth('Asia/Shanghai', at('2026-10-31T16:00:00Z'))).toBe('2026-11');
  expect(siteMonthSpan('Asia/Shanghai', '2026-11')).toEqual({
    start: at('2026-10-31T16:00:00Z'),
    end: at('2026-11-30T16:00:00Z'),
  });
  expect([addDays('2026-03-01', -1), addDays('2028-02-28', 1)]).toEqual(['2026-02-28', '2028-02-29']);
  expect(daysBetween('2026-10-20', '2026-11-03')).toBe(14);
  const dayOf = dayFinder('Europe/Berlin', '2026-10-25', '2026-10-26');
  expect(dayOf(at('2026-10-24T21:00:00Z'))).toBeUndefined();
  expect(dayOf(at('2026-10-24T22:00:00Z'))).toBe('2026-10-25');
  expect(dayOf(at('2026-10-25T22:00:00Z'))).toBe('2026-10-25');
  expect(dayOf(at('2026-10-25T23:00:00Z'))).toBe('2026-10-26');
  expect([hasWholeHours('Asia/Kolkata', 0), hasWholeHours('Asia/Shanghai', 1e9)]).toEqual([false, true]);
});
