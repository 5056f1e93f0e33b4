import { expect, test } from 'bun:test';
import { columnDecimals } from './column-decimals.ts';
import { renderQuota } from './number.ts';

const display = { quotaPerUnit: 500_000, displayInCurrency: true };

test('the amounts of a column have the decimals that the smallest one needs', () => {
  const quotas = [6200, 4250, 0];
  const decimals = columnDecimals(quotas, display);
  expect(quotas.map((quota) => renderQuota(quota, display, decimals))).toEqual([
    '$0.0124',
    '$0.0085',
    '$0.0000',
  ]);
  expect(columnDecimals([5_000_000, 30_000], display)).toBe(2);
  expect(columnDecimals([5_000_000, -1], display)).toBe(6);
  expect(columnDecimals([], display)).toBe(2);
});
