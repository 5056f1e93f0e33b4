import { expect, test } from 'bun:test';
import { periodsIn, type PlanSchedule } from './plan-schedule.ts';

test.each<[PlanSchedule, number, boolean]>([
  [{ duration_unit: 'month', duration_count: 3, reset: 'never' }, 1, true],
  [{ duration_unit: 'month', duration_count: 3, reset: 'monthly' }, 3, true],
  [{ duration_unit: 'day', duration_count: 14, reset: 'weekly' }, 2, true],
  // A form that is being filled in: only whole weeks count (M21).
  [{ duration_unit: 'day', duration_count: 20, reset: 'weekly' }, 2, true],
  [{ duration_unit: 'day', duration_count: 14, reset: 'daily' }, 14, true],
  [{ duration_unit: 'month', duration_count: 1, reset: 'daily' }, 30, false],
])('D39: how often a plan grants its quota: %o', (schedule, periods, isExact) => {
  expect(periodsIn(schedule)).toEqual({ periods, isExact });
});
