import { describe, expect, test } from 'bun:test';
import {
  formatMoney,
  fullQuota,
  moneyToQuota,
  quotaToMoney,
  renderNumber,
  renderQuota,
  splitLeadingZeros,
} from './number.ts';

const currency = { quotaPerUnit: 500_000, displayInCurrency: true };
const plain = { quotaPerUnit: 500_000, displayInCurrency: false };

describe('numbers', () => {
  test('ACC-9.22 ACC-9.23 ACC-9.24 numbers are shortened from 10,000 to k, from a million to M, from a billion to B', () => {
    expect(renderNumber(9_999)).toBe('9,999');
    expect(renderNumber(10_000)).toBe('10.0k');
    expect(renderNumber(999_999)).toBe('999.9k');
    expect(renderNumber(1_000_000)).toBe('1.0M');
    expect(renderNumber(999_999_999)).toBe('999.9M');
    expect(renderNumber(1_000_000_000)).toBe('1.0B');
    expect(renderNumber(-12_345)).toBe('−12.3k');
    expect(renderNumber(0)).toBe('0');
  });

  test('ACC-9.25 quota is shown as currency only with the display setting', () => {
    expect(renderQuota(64_200_000, currency)).toBe('$128.40');
    expect(renderQuota(64_200_000, plain)).toBe('64.2M');
    expect(renderQuota(1_234_500_000, currency)).toBe('$2,469.00');
  });

  test('the smallest quota is never shown as zero', () => {
    expect(renderQuota(1, currency)).toBe('$0.000002');
    expect(renderQuota(740, currency)).toBe('$0.0015');
    expect(renderQuota(0, currency)).toBe('$0.00');
    expect(fullQuota(1, currency)).toEqual({ money: '$0.000002', quota: '1' });
  });

  test('money and quota convert back and forth without drift', () => {
    for (const quota of [0, 1, 499_999, 500_000, 69_380_000, 9_007_199_254_740]) {
      expect(moneyToQuota(quotaToMoney(quota, currency), currency)).toBe(quota);
    }
  });

  test('a negative amount carries its sign before the currency', () => {
    expect(formatMoney(-3.5)).toBe('−$3.50');
  });

  test('leading zeros of a small amount are split off to be dimmed', () => {
    expect(splitLeadingZeros('$0.04556')).toEqual({ sign: '', dimmed: '$0.0', strong: '4556' });
    expect(splitLeadingZeros('−$0.04')).toEqual({ sign: '−', dimmed: '$0.0', strong: '4' });
    expect(splitLeadingZeros('$0.98')).toEqual({ sign: '', dimmed: '$0.', strong: '98' });
    expect(splitLeadingZeros('$12.05')).toEqual({ sign: '', dimmed: '', strong: '$12.05' });
    expect(splitLeadingZeros('$0.00')).toEqual({ sign: '', dimmed: '', strong: '$0.00' });
  });
});
