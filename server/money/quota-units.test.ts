import { expect, test } from 'bun:test';
import { dollarsOfQuota, isAmount, isRatio, quotaOfDollars } from './quota-units.ts';

test('dollars and quota', () => {
  expect(quotaOfDollars(1, 500_000)).toBe(500_000);
  expect(quotaOfDollars(0.000_001, 500_000)).toBe(1);
  expect(dollarsOfQuota(250_000, 500_000)).toBe(0.5);
  expect(() => quotaOfDollars(1e12, 1e12)).toThrow();
  expect([0, 1, 2 ** 53 - 1].every(isAmount)).toBe(true);
  expect([-1, 0.5, 2 ** 53, Number.NaN, '9', null].some(isAmount)).toBe(false);
  expect([1e300, -1, Number.NaN].some(isRatio)).toBe(false);
});
