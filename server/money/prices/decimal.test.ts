import { expect, test } from 'bun:test';
import { add, decimalOf, divideDecimals, multiply, numberOf, roundHalfUp, trimmed } from './decimal.ts';
import { dollarsOfQuota, isAmount, isRatio, quotaOfDollars } from '#server/money/quota-units.ts';

test('a number is the decimal it prints as', () => {
  expect(decimalOf(0.1)).toEqual({ digits: 1n, scale: 1 });
  expect(decimalOf(1250)).toEqual({ digits: 1250n, scale: 0 });
  expect(decimalOf(1e-7)).toEqual({ digits: 1n, scale: 7 });
  expect(decimalOf(1.5e-9)).toEqual({ digits: 15n, scale: 10 });
  expect(decimalOf(1e21)).toEqual({ digits: 10n ** 21n, scale: 0 });
  expect(decimalOf(1.25e22)).toEqual({ digits: 125n * 10n ** 20n, scale: 0 });
  for (const value of [-0.1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => decimalOf(value)).toThrow(RangeError);
});

test('sums, products and quotients are exact', () => {
  expect(numberOf(add(decimalOf(0.1), decimalOf(0.2)))).toBe(0.3);
  expect(numberOf(multiply(decimalOf(0.1), decimalOf(3)))).toBe(0.3);
  expect(trimmed({ digits: 1500n, scale: 3 })).toEqual({ digits: 15n, scale: 1 });
  expect(divideDecimals(0.3, 0.1)).toBe(3);
  expect(divideDecimals(1, 3)).toBe(0.333333333333);
  expect(divideDecimals(2, 3)).toBe(0.666666666667);
  expect(() => divideDecimals(1, 0)).toThrow(RangeError);
});

test('half a unit is rounded up', () => {
  expect(roundHalfUp({ digits: 149n, scale: 2 })).toBe(1n);
  expect(roundHalfUp({ digits: 15n, scale: 1 })).toBe(2n);
  expect(roundHalfUp({ digits: 5n, scale: 0 })).toBe(5n);
});

test('dollars and quota', () => {
  expect(quotaOfDollars(1, 500_000)).toBe(500_000);
  expect(quotaOfDollars(0.000_001, 500_000)).toBe(1);
  expect(dollarsOfQuota(250_000, 500_000)).toBe(0.5);
  expect(() => quotaOfDollars(1e12, 1e12)).toThrow();
  expect([0, 1, 2 ** 53 - 1].every(isAmount)).toBe(true);
  expect([-1, 0.5, 2 ** 53, Number.NaN, '9', null].some(isAmount)).toBe(false);
  expect([1e300, -1, Number.NaN].some(isRatio)).toBe(false);
});
