import { expect, test } from 'bun:test';
import { paceOf, waitSeconds } from './pace.ts';

const pace = paceOf(5);
const minutes = (count: number): number => count * 60;

test('the wait grows with the age of a task, in steps that double, up to a minute', () => {
  const ages = [0, 49, 100, 200, 400, minutes(20), minutes(600)];
  expect(ages.map((age) => waitSeconds(pace, age, 0, 0))).toEqual([5, 5, 10, 20, 40, 60, 60]);
});

test('each failed question doubles the wait, up to the same limit', () => {
  expect([0, 1, 2, 3, 4, 5000].map((failures) => waitSeconds(pace, 0, failures, 0))).toEqual([
    5, 10, 20, 40, 60, 60,
  ]);
  expect(waitSeconds(pace, 100, 1, 0)).toBe(20);
});

test('jitter only shortens a wait, and never below a second', () => {
  expect(waitSeconds(pace, minutes(60), 0, 1)).toBe(48);
  expect(waitSeconds(paceOf(1), 0, 0, 1)).toBe(1);
  // 9.74 and 9.48 seconds.
  expect([0.13, 0.26].map((random) => waitSeconds(paceOf(10), 0, 0, random))).toEqual([10, 9]);
});

test('a batch waits longer, and a long interval is kept', () => {
  expect(waitSeconds(paceOf(5, 600), minutes(600), 0, 0)).toBe(600);
  expect(waitSeconds(paceOf(300), 0, 5, 0)).toBe(300);
});
