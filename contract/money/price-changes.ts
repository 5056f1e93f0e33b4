// What differs between two sets of prices, by option and name, and how changes of a draft are put onto newer prices.
import { PRICE_KEYS, type PriceKey, type Prices } from './price-keys.ts';

/** What a draft may set. The unit of quota and the way of a gateway for one's own use are no prices to sell by. */
export const DRAFT_KEYS = PRICE_KEYS.filter(
  (key): key is DraftKey => key !== 'QuotaPerUnit' && key !== 'SelfUseModeEnabled',
);
export type DraftKey = Exclude<PriceKey, 'QuotaPerUnit' | 'SelfUseModeEnabled'>;

export interface PriceChange {
  key: PriceKey;
  /** The model or group; blank for an option that is one number. */
  name: string;
  /** Null: absent. */
  before: unknown;
  after: unknown;
}

type Entries = Readonly<Record<string, unknown>>;

/** An option that is one number has one entry, without a name. */
function entriesOf(prices: Prices, key: PriceKey): Entries {
  const value: unknown = prices[key];
  return typeof value === 'object' && value !== null ? (value as Entries) : { '': value };
}

const textOf = (entries: Entries, name: string): string | undefined =>
  Object.hasOwn(entries, name) ? JSON.stringify(entries[name]) : undefined;

export function changesBetween(before: Prices, after: Prices): PriceChange[] {
  return PRICE_KEYS.flatMap((key) => {
    const [old, next] = [entriesOf(before, key), entriesOf(after, key)];
    const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted();
    return names
      .filter((name) => textOf(old, name) !== textOf(next, name))
      .map((name) => ({ key, name, before: old[name] ?? null, after: next[name] ?? null }));
  });
}

export interface MergedPrices {
  prices: Prices;
  /** Entries that both the draft and the newer prices changed, to different values; `prices` has the draft's. */
  conflicts: PriceChange[];
}

/** Puts what a draft changed against its base onto the running prices. */
export function mergedPrices(base: Prices, draft: Prices, running: Prices): MergedPrices {
  const since = changesBetween(base, running);
  const conflicts: PriceChange[] = [];
  const prices: Record<string, unknown> = { ...running };
  for (const change of changesBetween(base, draft)) {
    const { key, name, after } = change;
    if (!DRAFT_KEYS.some((each) => each === key)) continue;
    const other = since.find((each) => each.key === key && each.name === name);
    if (other !== undefined && JSON.stringify(other.after) !== JSON.stringify(after))
      conflicts.push({ ...change, before: other.after });
    if (name === '') prices[key] = after;
    else {
      const entries = { ...(prices[key] as Entries) };
      if (after === null) Reflect.deleteProperty(entries, name);
      else entries[name] = after;
      prices[key] = entries;
    }
  }
  return { prices: prices as unknown as Prices, conflicts };
}
