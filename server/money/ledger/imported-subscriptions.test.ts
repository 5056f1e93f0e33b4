import { expect, test } from 'bun:test';
import { runningPeriods } from './imported-subscriptions.ts';

const at = (text: string) => Date.parse(`${text}Z`) / 1000;
const now = at('2026-03-10T15:00:00');

test('without a reset the rest of the time is one period, which ends to the second (N30)', () => {
  const endsAt = at('2026-04-01T08:00:01');
  expect(runningPeriods({ endsAt, reset: undefined }, now)).toEqual({
    startedAt: now,
    intervalUnit: 'day',
    intervalCount: 22,
    periods: 1,
    period: 0,
    periodEndsAt: endsAt,
    isFull: false,
  });
});

test('the first period ends with the next reset there, and the last one with the subscription (N30)', () => {
  const endsAt = at('2026-03-13T15:00:00');
  const nextAt = at('2026-03-11T00:00:00');
  const daily = runningPeriods({ endsAt, reset: { nextAt, interval: { unit: 'day', count: 1 } } }, now);
  // Until midnight, two whole days, and until the afternoon of the thirteenth.
  expect(daily).toMatchObject({ period: 0, periods: 4, periodEndsAt: nextAt, isFull: false });
});

test('a reset that was due before the import has happened: the quota is full and the next one counts (N30)', () => {
  const reset = { nextAt: at('2026-03-09T00:00:00'), interval: { unit: 'day', count: 1 } } as const;
  const periods = runningPeriods({ endsAt: at('2026-03-20T00:00:00'), reset }, now);
  expect(periods).toMatchObject({ isFull: true, periodEndsAt: at('2026-03-11T00:00:00') });
  expect(periods.periods - periods.period).toBe(10);
});

test('a reset that is due in the second of the import has made the quota full; one a second later has not (M21)', () => {
  const endsAt = at('2026-03-20T00:00:00');
  const interval = { unit: 'day', count: 1 } as const;
  const due = (nextAt: number) => runningPeriods({ endsAt, reset: { nextAt, interval } }, now);
  expect(due(now)).toMatchObject({ isFull: true, periodEndsAt: now + 86_400 });
  expect(due(now + 1)).toMatchObject({ isFull: false, periodEndsAt: now + 1 });
});

test('a period that would last longer than the subscription ends with it (M21)', () => {
  const endsAt = at('2026-03-20T15:00:00');
  const reset = { nextAt: at('2026-03-05T15:00:00'), interval: { unit: 'month', count: 1 } } as const;
  const periods = runningPeriods({ endsAt, reset }, now);
  expect(periods).toMatchObject({ isFull: true, periodEndsAt: endsAt });
  expect(periods.periods - periods.period).toBe(1);
});

test('a month without the day of the reset moves no later reset (N30)', () => {
  const nextAt = at('2026-03-31T00:00:00');
  const reset = { nextAt, interval: { unit: 'month', count: 1 } } as const;
  const { period, periods, periodEndsAt, startedAt } = runningPeriods(
    { endsAt: at('2026-06-15T00:00:00'), reset },
    now,
  );
  expect([periodEndsAt, startedAt, periods - period]).toEqual([nextAt, at('2026-01-31T00:00:00'), 4]);
});
