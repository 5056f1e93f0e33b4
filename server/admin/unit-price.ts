// A price as operators read it: dollars per million tokens, or for each call or second.
import type { UnitPrice } from '#contract/admin/thing-parts.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';

const TOKENS = 1_000_000;

/** Null for a model that has no price. */
export function unitPriceOf(price: PriceSnapshot | PriceRefusal | null): UnitPrice | null {
  if (price === null || typeof price === 'string') return null;
  if (price.kind === 'price') {
    const each = rounded(price.modelPrice * price.groupRatio);
    return { unit: price.unit ?? 'call', input: each, output: each };
  }
  // A ratio is the units of one token.
  const input = (price.modelRatio * price.groupRatio * TOKENS) / price.quotaPerUnit;
  return { unit: 'tokens', input: rounded(input), output: rounded(input * price.completionRatio) };
}

/** Ratios such as 8.333333333 of a round price give it back. */
const rounded = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

export const isSamePrice = (left: UnitPrice | null, right: UnitPrice | null): boolean =>
  left?.unit === right?.unit && left?.input === right?.input && left?.output === right?.output;
