// Which tier a usage is in, and what its price charges beside tokens and pieces.
import type { PriceTier } from '#contract/money/price-rules.ts';
import type { PriceSnapshot } from './price.ts';
import { promptTokens, type Surcharge, type Usage } from './usage.ts';

/** 0: below all tiers, or none. The whole call is charged at the highest tier that its prompt passes. */
export function tierNumber({ tiers }: PriceSnapshot, usage: Usage): number {
  if (tiers === undefined) return 0;
  const tokens = promptTokens(usage);
  return tiers.filter(({ above }) => tokens > above).length;
}

export function tierAt({ tiers }: PriceSnapshot, number: number): PriceTier | undefined {
  return number === 0 ? undefined : tiers?.[number - 1];
}

export const CALL_FEE = 'call_fee';
export const WEB_SEARCH = 'web_search';

const NONE: readonly Surcharge[] = [];

/** Searches are counted also where they cost nothing: a later correction of the price needs their number. */
export function searchesOf(count = 0): readonly Surcharge[] {
  return count === 0 ? NONE : [{ name: WEB_SEARCH, count, dollarsEach: 0 }];
}

/** The usage with the fee of the call and the price of its searches. */
export function withFees({ fee, search }: PriceSnapshot, usage: Usage): Usage {
  if (fee === undefined && search === undefined) return usage;
  const counted = usage.surcharges
    .filter(({ name }) => name !== CALL_FEE)
    .map((each) => (each.name === WEB_SEARCH ? { ...each, dollarsEach: search ?? 0 } : each));
  const own = fee === undefined ? [] : [{ name: CALL_FEE, count: 1, dollarsEach: fee }];
  return { ...usage, surcharges: [...own, ...counted] };
}
