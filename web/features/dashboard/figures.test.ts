import { describe, expect, test } from 'bun:test';
import { SELF_SPAN_SECONDS, type UsageRow } from '#contract/admin/dashboard.ts';
import { siteDay } from '#contract/site-day.ts';
import {
  areSiteDays,
  axisOf,
  bucketsOf,
  changeOf,
  chosenDays,
  heatOf,
  lastDays,
  lastSiteDays,
  mostDays,
  perMinute,
  seriesOf,
  siteMonths,
  spanBefore,
  successRate,
  totalsByBucket,
  totalsOf,
} from './figures.ts';
import { giveHues } from './model-hues.ts';

/** 2026-03-04 was a Wednesday. */
const noon = Math.floor(new Date(2026, 2, 4, 12, 30).getTime() / 1000);
const hour = (offset: number) => Math.floor(new Date(2026, 2, 4, 12 + offset).getTime() / 1000);

const row = (
  model_name: string,
  created_at: number,
  quota: number,
  rest: Partial<UsageRow> = {},
): UsageRow => ({
  model_name,
  created_at,
  quota,
  count: 1,
  token_used: 15,
  prompt_tokens: 10,
  completion_tokens: 5,
  error_count: 0,
  use_time_ms: 1000,
  first_token_ms: 100,
  user_id: 1,
  username: 'u',
  ...rest,
});

describe('spans and buckets', () => {
  test('the last days end with the running hour; thirty days stay within what a user may ask for', () => {
    const span = lastDays(30, noon);
    expect(span.to).toBe(hour(1) - 1);
    expect(span.to - span.from).toBeLessThanOrEqual(SELF_SPAN_SECONDS);
    expect(spanBefore(span)).toEqual({ from: span.from - 2_592_000, to: span.from - 1 });
  });

  test.each(['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kolkata'])(
    'D24 the last 7 days are 7 columns of days in %s',
    (zone) => {
      for (const now of [noon, Date.UTC(2026, 10, 3, 17, 42) / 1000]) {
        const span = lastSiteDays(7, now, zone);
        const buckets = bucketsOf(span, 'day', zone);
        expect(buckets).toHaveLength(7);
        expect(buckets[0]?.from).toBe(span.from);
        expect(
          [buckets.at(-1)?.from ?? 0, buckets.at(-1)?.to ?? 0].map((time) => siteDay(zone, time)),
        ).toEqual([siteDay(zone, now), siteDay(zone, now)]);
        const longest = lastSiteDays(30, now, zone);
        expect(longest.to - longest.from).toBeLessThanOrEqual(SELF_SPAN_SECONDS);
      }
    },
  );

  test.each(['UTC', 'Asia/Shanghai', 'America/New_York'])('D24 months of the site in %s', (zone) => {
    for (const now of [noon, Date.UTC(2026, 11, 31, 23, 59) / 1000, Date.UTC(2026, 11, 1, 3) / 1000]) {
      const [month, before] = [siteMonths('month', now, zone), siteMonths('last-month', now, zone)];
      expect(siteDay(zone, month.from)).toBe(`${siteDay(zone, now).slice(0, 7)}-01`);
      expect(before.to).toBe(month.from - 1);
      expect(siteDay(zone, before.from).slice(8)).toBe('01');
      for (const { from, to } of [month, before]) expect(to - from).toBeLessThanOrEqual(SELF_SPAN_SECONDS);
    }
  });

  test.each(['UTC', 'Asia/Shanghai', 'America/New_York'])('D24 chosen days of the site in %s', (zone) => {
    const span = chosenDays({ since: '2026-02-27', until: '2026-03-02' }, noon, zone);
    expect([siteDay(zone, span.from), siteDay(zone, span.from - 1)]).toEqual(['2026-02-27', '2026-02-26']);
    expect([siteDay(zone, span.to), siteDay(zone, span.to + 1)]).toEqual(['2026-03-02', '2026-03-03']);
    // The running day ends with the running hour.
    const today = siteDay(zone, noon);
    expect(chosenDays({ since: today, until: today }, noon, zone).to).toBe(noon - (noon % 3600) + 3599);
    const month = chosenDays(
      { since: '2026-10-10', until: '2026-11-09' },
      Date.UTC(2026, 11, 1) / 1000,
      zone,
    );
    expect(month.to - month.from).toBeLessThanOrEqual(SELF_SPAN_SECONDS);
  });

  test('D24 days in their order, not to come, not too many', () => {
    const are = (since: string, until: string) =>
      areSiteDays({ since, until }, '2026-03-04', mostDays(false));
    expect(are('2026-02-02', '2026-03-04')).toBe(true);
    expect(are('2026-02-01', '2026-03-04')).toBe(false);
    expect(areSiteDays({ since: '2025-03-04', until: '2026-03-04' }, '2026-03-04', mostDays(true))).toBe(
      true,
    );
    expect(are('2026-03-03', '2026-03-02')).toBe(false);
    expect(are('2026-03-01', '2026-03-05')).toBe(false);
    expect(are('2026-02-30', '2026-03-04')).toBe(false);
    expect(are('', '2026-03-04')).toBe(false);
  });

  test('hours, days and weeks of the site, without gaps', () => {
    const zone = 'Asia/Shanghai';
    const span = lastDays(7, noon);
    expect(bucketsOf(lastDays(1, noon), 'hour', zone)).toHaveLength(24);
    expect(bucketsOf(span, 'day', zone)).toHaveLength(8);
    const weeks = bucketsOf(span, 'week', zone);
    expect(weeks).toHaveLength(2);
    expect(new Date(`${siteDay(zone, weeks[0]?.from ?? 0)}T00:00:00Z`).getUTCDay()).toBe(1);
    for (const buckets of [weeks, bucketsOf(span, 'day', zone)])
      for (const [index, bucket] of buckets.slice(1).entries())
        expect(bucket.from).toBe((buckets[index]?.to ?? 0) + 1);
  });
});

describe('sums', () => {
  const buckets = bucketsOf({ from: hour(0), to: hour(2) - 1 }, 'hour', 'UTC');

  test('rows fall into their bucket; what lies outside is not counted', () => {
    const sums = totalsByBucket([row('a', hour(0), 5), row('b', hour(0), 6), row('a', hour(5), 9)], buckets);
    expect(sums.map((sum) => sum.quota)).toEqual([11, 0]);
  });

  test('models by cost, all past the eighth together in the last colour', () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(`m${index}`, hour(0), index + 1));
    const series = seriesOf(rows, buckets, (models) => giveHues(models, new Map()));
    expect(series).toHaveLength(9);
    expect(series[0]).toMatchObject({ model: 'm9', hue: 1, values: [10, 0] });
    expect(series.at(-1)).toMatchObject({ model: undefined, hue: 10, values: [3, 0] });
  });

  test('average RPM and TPM are totals divided by minutes', () => {
    const totals = totalsOf([row('a', hour(0), 1, { count: 30, token_used: 600 })]);
    expect(perMinute(totals, { from: hour(0), to: hour(1) - 1 })).toEqual({ rpm: 0.5, tpm: 10 });
  });

  test('success rate and change need a base value', () => {
    expect(successRate(totalsOf([row('a', hour(0), 1, { count: 3, error_count: 1 })]))).toBe(0.75);
    expect(successRate(totalsOf([]))).toBeUndefined();
    expect(changeOf(15, 10)).toBe(0.5);
    expect(changeOf(15, 0)).toBeUndefined();
    // D20: a period before that was nearly empty is no basis.
    expect(changeOf(10_990, 1000)).toBe(9.99);
    expect(changeOf(11_000, 1000)).toBeUndefined();
  });

  test('the heat map counts calls by weekday and hour, failed ones too', () => {
    const at = Date.parse('2026-03-04T20:00:00Z') / 1000;
    const rows = [
      row('a', at, 1, { count: 2, error_count: 3 }),
      row('b', at, 1, { count: 1 }),
      row('a', at - 7 * 86_400, 1, { count: 4 }),
    ];
    // A Wednesday; in Shanghai it is Thursday already.
    for (const [zone, day, clock] of [
      ['UTC', 3, 20],
      ['Asia/Shanghai', 4, 4],
      ['America/New_York', 3, 15],
      ['Asia/Kolkata', 4, 1],
    ] as const) {
      const heat = heatOf(rows, { from: at - 14 * 86_400, to: at + 3599 }, zone);
      expect([zone, heat[day]?.[clock]]).toEqual([zone, { count: 10, newest: at }]);
      expect(heat.flat().reduce((sum, { count }) => sum + count, 0)).toBe(10);
    }
  });

  test('the axis is round and covers the highest value', () => {
    expect(axisOf(107)).toEqual([0, 50, 100, 150]);
    expect(axisOf(0.9)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(axisOf(0)).toEqual([0, 1]);
  });
});

test('a cell of the heat map opens its newest hour', () => {
  const at = (day: number, clock: number) => Date.UTC(2026, 2, day, clock) / 1000;
  const newest = (from: number, to: number) => heatOf([], { from, to }, 'UTC')[3]?.[9]?.newest;
  // Wednesdays of these two weeks are the 4th and the 11th.
  expect(newest(at(1, 0), at(15, 0) - 1)).toBe(at(11, 9));
  expect(newest(at(4, 0), at(4, 9))).toBe(at(4, 9));
  expect(newest(at(4, 0), at(4, 9) - 1)).toBeUndefined();
});
