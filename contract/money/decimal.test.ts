import { expect, test } from 'bun:test';
import {
  add,
  decimalOf,
  decimalText,
  divideDecimals,
  multiply,
  numberOf,
  quotient,
  rounded,
  roundHalfUp,
  trimmed,
} from './decimal.ts';

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

test('a quotient has the digits that are asked for, and half a digit goes up', () => {
  const text = (left: number, right: number, digits: number) =>
    decimalText(quotient(decimalOf(left), decimalOf(right), digits));
  expect(text(2, 3, 6)).toBe('0.666667');
  expect(text(1, 300_000, 3)).toBe('0.00000333');
  expect(text(2.5, 2, 6)).toBe('1.25');
  expect(text(0, 3, 6)).toBe('0');
  expect(text(1_234_565, 1, 6)).toBe('1234570');
  // Just above half a digit: the remainder decides.
  expect(text(1.000_000_500_000_001, 1, 7)).toBe('1.000001');
  expect(text(1, 8, 2)).toBe('0.13');
  expect(() => quotient(decimalOf(1), decimalOf(0), 3)).toThrow(RangeError);
  expect(decimalText(rounded(decimalOf(0.0012345), 3))).toBe('0.00123');
});

test('text has no exponent and as many decimals as are wanted at least', () => {
  expect(decimalText(decimalOf(1e-9))).toBe('0.000000001');
  expect(decimalText(decimalOf(12), 2)).toBe('12.00');
  expect(decimalText(decimalOf(0.5), 2)).toBe('0.50');
  expect(decimalText({ digits: 1500n, scale: 3 })).toBe('1.5');
  expect(decimalText(decimalOf(0), 2)).toBe('0.00');
});
