// What the calculator is asked: calls a day and the tokens of each, from the address.
import type { PublicModel, PublicPrice } from '#server/admin/public-model.ts';

export const USAGE_QUERY = ['group', 'calls', 'input', 'cached', 'output'] as const;

export interface Usage {
  readonly calls: number;
  readonly input: number;
  /** Part of the input that is read from the cache, in percent. */
  readonly cached: number;
  readonly output: number;
}

const USUAL: Usage = { calls: 1000, input: 4000, cached: 70, output: 600 };
const MOST = 1e9;

export function usageOf(query: URLSearchParams): Usage {
  const read = (name: keyof Usage, most: number) => {
    const value = Number((query.get(name) ?? '').replaceAll(/[,\s]/g, '') || Number.NaN);
    return Number.isFinite(value) && value >= 0 ? Math.min(most, value) : USUAL[name];
  };
  return {
    calls: read('calls', MOST),
    input: read('input', MOST),
    cached: read('cached', 100),
    output: read('output', MOST),
  };
}

export interface CallCost {
  readonly fresh: number;
  readonly reads: number;
  readonly writes: number;
  /** Dollars of one call. */
  readonly call: number;
  readonly parts: Record<'fresh' | 'reads' | 'writes', number>;
}

export function costOf(price: PublicPrice, { input, cached, output }: Usage): CallCost {
  const reads = Math.round((input * cached) / 100);
  const fresh = input - reads;
  if (price.kind !== 'usage')
    return { fresh, reads, writes: output, call: price.price, parts: { fresh: 0, reads: 0, writes: 0 } };
  const parts = {
    fresh: (fresh * price.input) / 1e6,
    reads: (reads * price.cached) / 1e6,
    writes: (output * price.output) / 1e6,
  };
  return { fresh, reads, writes: output, call: parts.fresh + parts.reads + parts.writes, parts };
}

const DAYS = 30;
export const monthOf = (price: PublicPrice, usage: Usage): number =>
  costOf(price, usage).call * usage.calls * DAYS;

/** What the script needs to compute the same. */
export const forScript = (price: PublicPrice | undefined): object =>
  price === undefined
    ? { price: 0 }
    : price.kind === 'usage'
      ? { input: price.input, cached: price.cached, output: price.output }
      : { price: price.price };

const MOST_ALTERNATIVES = 4;

/** Models of the same kind and way of billing: the newest of each other vendor first, then the rest. */
export function alternativesOf(
  model: PublicModel,
  models: readonly PublicModel[],
  group: string,
): PublicModel[] {
  const own = model.prices[group];
  const same = models.filter(
    (each) => each.name !== model.name && each.kind === model.kind && each.prices[group]?.kind === own?.kind,
  );
  const seen = new Set([model.vendor]);
  const firsts = same.filter(({ vendor }) => {
    if (seen.has(vendor)) return false;
    seen.add(vendor);
    return true;
  });
  const rest = same.filter((each) => !firsts.includes(each));
  return [...firsts, ...rest].slice(0, MOST_ALTERNATIVES);
}
