import { expect, test } from 'bun:test';
import { noPrices, resolvePrice, type PriceSettings } from '#server/money/prices/price.ts';
import { figuresOf } from './figures.ts';

const figures = (settings: Partial<PriceSettings>) => {
  const price = resolvePrice({ ...noPrices, GroupRatio: { a: 1 }, ...settings }, () => undefined, 'm', 'a');
  return typeof price === 'string' ? price : figuresOf(price);
};

test('each class of tokens is shown at its own price', () => {
  const ratios = {
    ModelRatio: { m: 1.5 },
    CompletionRatio: { m: 4 },
    CacheRatio: { m: 0.1 },
    CreateCacheRatio: { m: 1.25 },
  };
  const shown = { input: 3, output: 12, cache_read: 0.3, cache_write: 3.75 };
  expect(figures(ratios)).toEqual({ ...shown, has_rules: false });
  expect(figures({ ...ratios, PriceRules: { m: { fee: 0.01 } } })).toEqual({ ...shown, has_rules: true });
});

test('a fixed price is of a call or of a second, and no price is none', () => {
  expect(figures({ ModelPrice: { m: 0.02 } })).toEqual({ per_call: 0.02, has_rules: false });
  expect(figures({ ModelPrice: { m: 0.02 }, PriceUnit: { m: 'second' } })).toEqual({
    per_second: 0.02,
    has_rules: false,
  });
  expect(figuresOf(undefined)).toBeNull();
});
