import { describe, expect, test } from 'bun:test';
import { chargeNote, chargeOf, largestPart, moneyText } from './charge.ts';
import { detailsOf } from './other.ts';

const priced = (
  other: Record<string, unknown>,
  row: { prompt_tokens?: number; completion_tokens?: number } = {},
) => detailsOf({ prompt_tokens: 0, completion_tokens: 0, ...row, other: JSON.stringify(other) });

const tokens = {
  model_ratio: 1.25,
  model_price: -1,
  completion_ratio: 6,
  cache_ratio: 0.1,
  group_ratio: 0.9,
  quota_per_unit: 500_000,
  usage: { input: 6144, cacheRead: 12_288, output: 2146 },
};

describe('the charge of a row', () => {
  test('token classes × ratios add up to the quota that was charged', () => {
    const charge = chargeOf({ quota: 22_780 }, priced(tokens), 1) ?? expect.unreachable('a charge');
    expect(charge.terms.map(({ name, count, ratio }) => [name, count, ratio])).toEqual([
      ['input', 6144, 1],
      ['cacheRead', 12_288, 0.1],
      ['output', 2146, 6],
    ]);
    expect(charge.computedQuota).toBe(22_780);
    expect(charge.money).toBeCloseTo(0.045_56, 10);
    expect(charge.cacheSaving).toBeCloseTo(0.024_883, 5);
    expect(largestPart(charge)).toEqual({ name: 'output', percent: 64 });
    const [input, , output] = charge.terms;
    if (input === undefined || output === undefined) expect.unreachable('three terms');
    const mostly = { ...charge, terms: [{ ...input, money: 0.000_01 }, output] };
    expect(largestPart(mostly)?.percent).toBe(99);
    expect(largestPart({ ...charge, terms: [output] })?.percent).toBe(100);
    expect(chargeNote(charge)).toBeUndefined();
  });

  test('a fixed price times its pieces and the group', () => {
    const other = { model_ratio: 0, model_price: 0.04, group_ratio: 2, quota_per_unit: 500_000, pieces: 3 };
    const charge = chargeOf({ quota: 120_000 }, priced(other), 1) ?? expect.unreachable('a charge');
    expect([charge.kind, charge.price, charge.pieces, charge.computedQuota]).toEqual([
      'price',
      0.04,
      3,
      120_000,
    ]);
  });

  test('what is billed beside the tokens counts too', () => {
    const other = { ...tokens, surcharges: [{ name: 'web_search', count: 2, dollarsEach: 0.01 }] };
    const charge = chargeOf({ quota: 31_780 }, priced(other), 1) ?? expect.unreachable('a charge');
    expect(charge.surcharges[0]?.money).toBeCloseTo(0.018, 10);
    expect(charge.computedQuota).toBe(31_780);
  });

  test('rows of the family without classes use what went in and out', () => {
    const details = priced(
      { model_ratio: 1, completion_ratio: 2, group_ratio: 1 },
      { prompt_tokens: 10, completion_tokens: 5 },
    );
    expect(chargeOf({ quota: 20 }, details, 500_000)?.computedQuota).toBe(20);
  });

  test('notes a spent balance, and a charge rounded up to one unit', () => {
    const short = chargeOf({ quota: 100 }, priced(tokens), 1) ?? expect.unreachable('a charge');
    expect(chargeNote(short)).toBe('short');
    const tiny = { ...tokens, model_ratio: 0.01, usage: { input: 1 } };
    const least = chargeOf({ quota: 1 }, priced(tiny), 1) ?? expect.unreachable('a charge');
    expect(chargeNote(least)).toBe('minimum');
  });

  test('the minimum of a model is multiplied by the ratio of the group, as it is when it is charged (M21)', () => {
    const other = { ...tokens, minimum_price: 0.1, usage: { input: 100 } };
    const charge = chargeOf({ quota: 45_000 }, priced(other), 1) ?? expect.unreachable('a charge');
    expect([charge.minimumQuota, charge.computedQuota]).toEqual([45_000, 45_000]);
    expect(chargeNote(charge)).toBe('least');
  });

  test('an event has no charge, and broken text is no error', () => {
    expect(chargeOf({ quota: 0 }, priced({}), 1)).toBeUndefined();
    const broken = detailsOf({ other: '{"model_ratio":', prompt_tokens: 0, completion_tokens: 0 });
    expect(chargeOf({ quota: 0 }, broken, 1)).toBeUndefined();
  });
});

test.each([
  [0, '$0'],
  [0.04556, '$0.04556'],
  [0.1, '$0.10'],
  [12.5, '$12.50'],
  [0.000_000_4, '$0.0000004'],
])('%p is written %p', (amount, text) => {
  expect(moneyText(amount)).toBe(text);
});
