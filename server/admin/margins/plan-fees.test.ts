import { expect, test } from 'bun:test';
import { dayFee } from './plan-fees.ts';

test('the parts of all days of a month are the whole fee, to the unit', () => {
  for (const [year, month] of [
    [2026, 1],
    [2028, 1],
    [2026, 10],
    [2026, 11],
  ] as const) {
    const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const parts = Array.from({ length: days }, (_, at) =>
      dayFee(10_000_001, Date.UTC(year, month, at + 1) / 1000),
    );
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(10_000_001);
    expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
  }
});
