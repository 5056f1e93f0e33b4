import { expect, test } from 'bun:test';
import { PRICE_KEYS, type Prices } from './price-keys.ts';
import { changesBetween, mergedPrices } from './price-changes.ts';
import { SETTINGS } from '#contract/settings.ts';

const defaults = Object.fromEntries(PRICE_KEYS.map((key) => [key, SETTINGS[key].fallback])) as Prices;
const prices = (part: Partial<Prices>): Prices => ({ ...defaults, ...part });

test('changes are named by option and model; an absent entry is null', () => {
  const before = prices({ ModelRatio: { a: 1, b: 2 }, BatchRatio: 0.5 });
  const after = prices({ ModelRatio: { a: 1.5, c: 3 }, BatchRatio: 0.4 });
  expect(changesBetween(before, after)).toEqual([
    { key: 'ModelRatio', name: 'a', before: 1, after: 1.5 },
    { key: 'ModelRatio', name: 'b', before: 2, after: null },
    { key: 'ModelRatio', name: 'c', before: null, after: 3 },
    { key: 'BatchRatio', name: '', before: 0.5, after: 0.4 },
  ]);
  expect(changesBetween(before, prices({ ModelRatio: { b: 2, a: 1 } }))).toEqual([]);
});

test('a draft changes what it changed and leaves the rest as it runs now', () => {
  const base = prices({ ModelRatio: { a: 1, b: 2 } });
  const draft = prices({ ModelRatio: { a: 5 }, QuotaPerUnit: 7 });
  const running = prices({ ModelRatio: { a: 1, b: 2, c: 3 }, CacheRatio: { a: 0.1 }, QuotaPerUnit: 9 });
  expect(mergedPrices(base, draft, running)).toEqual({
    prices: prices({ ModelRatio: { a: 5, c: 3 }, CacheRatio: { a: 0.1 }, QuotaPerUnit: 9 }),
    conflicts: [],
  });
});

test('an entry that both changed to different values is a conflict; the same value is none', () => {
  const base = prices({ ModelRatio: { a: 1, b: 2 } });
  const draft = prices({ ModelRatio: { a: 5, b: 4 } });
  const { prices: merged, conflicts } = mergedPrices(base, draft, prices({ ModelRatio: { a: 6, b: 4 } }));
  expect(conflicts).toEqual([{ key: 'ModelRatio', name: 'a', before: 6, after: 5 }]);
  expect(merged.ModelRatio).toEqual({ a: 5, b: 4 });
});

test('a rule that both wrote in the same words is no conflict, and in others one', () => {
  const rule = (above: number) => ({ m: { tiers: [{ above, input: 2 }] } });
  const merged = (running: number) =>
    mergedPrices(prices({}), prices({ PriceRules: rule(100) }), prices({ PriceRules: rule(running) }));
  expect(merged(100)).toEqual({ prices: prices({ PriceRules: rule(100) }), conflicts: [] });
  expect(merged(200).conflicts).toEqual([
    { key: 'PriceRules', name: 'm', before: rule(200).m, after: rule(100).m },
  ]);
});
