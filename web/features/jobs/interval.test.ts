import { expect, test } from 'bun:test';
import { durationOf, intervalOf } from './interval.ts';

test('an interval is shown in its largest whole unit', () => {
  expect(intervalOf(5)).toEqual({ unit: 'seconds', count: 5 });
  expect(intervalOf(90)).toEqual({ unit: 'seconds', count: 90 });
  expect(intervalOf(600)).toEqual({ unit: 'minutes', count: 10 });
  expect(intervalOf(7200)).toEqual({ unit: 'hours', count: 2 });
  expect(intervalOf(1 / 3)).toEqual({ unit: 'seconds', count: 0.3 });
});

test('a duration keeps two digits or whole seconds', () => {
  expect(durationOf(12)).toEqual({ digits: '12', unit: 'ms' });
  expect(durationOf(3412)).toEqual({ digits: '3.4', unit: 's' });
  expect(durationOf(125_400)).toEqual({ digits: '125', unit: 's' });
});
