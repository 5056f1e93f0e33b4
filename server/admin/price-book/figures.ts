// A price as people read it: dollars per million tokens, or for each call or second.
import { DOLLARS_PER_MILLION } from '#contract/money/pricing.ts';
import type { PriceFigures } from '#contract/money/price-book-views.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';

/** Rounds off the error of binary fractions: ratios have few digits. */
const exact = (value: number): number => Number(value.toPrecision(10));

export function figuresOf(price: PriceSnapshot | undefined): PriceFigures | null {
  if (price === undefined) return null;
  const { tiers, minimum, fee, search } = price;
  const has_rules = [tiers, minimum, fee, search].some((rule) => rule !== undefined);
  if (price.kind === 'price')
    return {
      ...(price.unit === 'second' ? { per_second: price.modelPrice } : { per_call: price.modelPrice }),
      has_rules,
    };
  const input = price.modelRatio * DOLLARS_PER_MILLION;
  return {
    input: exact(input),
    output: exact(input * price.completionRatio),
    cache_read: exact(input * price.cacheRatio),
    cache_write: exact(input * price.cacheWriteRatio),
    has_rules,
  };
}
