import { expect, test } from 'bun:test';
import { partsText } from './parts.ts';

const display = { quotaPerUnit: 500_000, displayInCurrency: true };
const cents = (text: string) => Math.round(Number(text.replace('−', '-').replaceAll(/[$,]/g, '')) * 100);

test('rounded parts add up to the rounded sum', () => {
  // $0.014 + $0.014 + $0.014 = $0.042: each part alone would be shown as $0.01, and the sum as $0.04.
  expect(partsText(21_000, { cost: 7000, margin: 7000, unknown: 7000 }, display)).toEqual({
    total: '$0.04',
    parts: { cost: '$0.02', margin: '$0.01', unknown: '$0.01' },
  });
  for (let seed = 1; seed < 2000; seed += 1) {
    const parts = {
      cost: (seed * 7919) % 9_999_991,
      margin: ((seed * 104_729) % 8_000_009) - 4_000_000,
      unknown: (seed * 31) % 50_021,
    };
    const total = parts.cost + parts.margin + parts.unknown;
    const shown = partsText(total, parts, display);
    const sum = cents(shown.parts.cost) + cents(shown.parts.margin) + cents(shown.parts.unknown);
    if (Math.abs(total) >= 5000) expect([seed, sum]).toEqual([seed, cents(shown.total)]);
    expect(Math.abs(cents(shown.parts.margin) - parts.margin / 5000)).toBeLessThanOrEqual(1);
  }
});

test('quota is not rounded to cents', () => {
  expect(partsText(3, { cost: 5, margin: -2 }, { ...display, displayInCurrency: false })).toEqual({
    total: '3',
    parts: { cost: '5', margin: '−2' },
  });
});
