import { describe, expect, test } from 'bun:test';
import { baseOf, dividendOf, percentOfRate, rateOfPercent } from './rate.ts';

describe('dividend rates', () => {
  test('a percentage of two decimals is exact', () => {
    for (const percent of [0, 0.01, 0.07, 0.29, 1.15, 12.5, 33.33, 100])
      expect(percentOfRate(rateOfPercent(percent))).toBe(percent);
  });

  test('a dividend is rounded down and exact at the largest amounts', () => {
    expect(dividendOf(999, 1000)).toBe(99);
    expect(dividendOf(9, 1000)).toBe(0);
    expect(dividendOf(-500, 1000)).toBe(0);
    expect(dividendOf(Number.MAX_SAFE_INTEGER, 10_000)).toBe(Number.MAX_SAFE_INTEGER);
    expect(dividendOf(Number.MAX_SAFE_INTEGER, 9999)).toBe(9_006_298_534_815_516);
  });

  test('what a base leaves over is less than one more unit of dividend', () => {
    for (const rate of [1, 7, 333, 1000, 9999, 10_000])
      for (const base of [1, 9, 10, 1005, 123_457]) {
        const dividend = dividendOf(base, rate);
        const used = baseOf(dividend, rate);
        expect(used).toBeLessThanOrEqual(base);
        expect(dividendOf(used, rate)).toBe(dividend);
        expect(dividendOf(base - used, rate)).toBe(0);
      }
  });
});
