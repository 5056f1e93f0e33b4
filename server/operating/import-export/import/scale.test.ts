import { expect, test } from 'bun:test';
import { assert, integer, property } from 'fast-check';
import { scaleOf } from './scale.ts';

test('amounts are converted exactly, half a unit goes up, and what is below zero is zero', () => {
  const half = scaleOf(1_000_000, 500_000);
  expect([half.amount(3), half.amount(2), half.amount(1), half.amount(0), half.amount(-7)]).toEqual([
    2, 1, 1, 0, 0,
  ]);
  expect(scaleOf(500_000, 500_000).amount(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  expect(scaleOf(3, 1).amount(10)).toBe(3);
  expect(scaleOf(0.5, 1.5).amount(7)).toBe(21);
  expect(() => scaleOf(1, 2).amount(Number.MAX_SAFE_INTEGER)).toThrow('past the cap');
  expect(scaleOf(500_000, 1_000_000).ratio(0.1)).toBe(0.2);
});

test('dollars become units without an error of floating point', () => {
  const scale = scaleOf(1, 500_000);
  expect([scale.ofDollars(9.99), scale.ofDollars(0.000001), scale.ofDollars(-1)]).toEqual([4_995_000, 1, 0]);
});

test('an amount that goes to larger units and back is the same', () => {
  assert(
    property(integer({ min: 0, max: 1e9 }), integer({ min: 1, max: 1000 }), (amount, factor) => {
      expect(scaleOf(factor, 1).amount(scaleOf(1, factor).amount(amount))).toBe(amount);
    }),
  );
});
