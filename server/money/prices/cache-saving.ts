// What the upstream's cache of the prompt saved in a call: the same call with every token of the prompt at the price of input, less what
// it was. Writing a cache may cost more than input, so a call can save less than nothing.
import { cappedChargeOf } from './charge.ts';
import type { PriceSnapshot } from './price.ts';
import type { Usage } from './usage.ts';

/** In quota units. */
export interface CacheSaving {
  /** Of the caller, at the selling price. */
  readonly quota: number;
  /** Of the operator, at the buy price of the channel; null: it is not known. */
  readonly cost: number | null;
}

interface Settled {
  readonly price: PriceSnapshot;
  readonly usage: Usage;
  readonly charge: number;
  readonly cost: number | null;
}

/** Undefined for a call that neither read nor wrote a cache: nearly no call pays for the arithmetic below. */
export function cacheSavingOf(
  { price, usage, charge, cost }: Settled,
  costOf: (usage: Usage) => number | null,
): CacheSaving | undefined {
  const cached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  if (cached === 0) return undefined;
  const uncached = {
    ...usage,
    input: usage.input + cached,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
  const uncachedCost = cost === null ? null : costOf(uncached);
  return {
    quota: cappedChargeOf(price, uncached) - charge,
    cost: cost === null || uncachedCost === null ? null : uncachedCost - cost,
  };
}
