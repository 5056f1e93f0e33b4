// The options that decide what a call costs. Together they are a price version.
import { settingOf, type SettingKey, type Settings } from '#contract/settings.ts';

export const PRICE_KEYS = [
  'GroupRatio',
  'ModelPrice',
  'PriceUnit',
  'ResolutionPrice',
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCache1hRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ReasoningRatio',
  'BatchRatio',
  'PriceRules',
  'QuotaPerUnit',
  'SelfUseModeEnabled',
] as const satisfies readonly SettingKey[];

export type PriceKey = (typeof PRICE_KEYS)[number];
export type Prices = Pick<Settings, PriceKey>;

export function isPriceKey(key: string): key is PriceKey {
  return PRICE_KEYS.some((name) => name === key);
}

/** The stored form of a version. Equal prices have equal texts. */
export function pricesText(prices: Prices): string {
  return JSON.stringify(Object.fromEntries(PRICE_KEYS.map((key) => [key, sorted(prices[key])])));
}

/** An option that a version of an earlier release does not have, or that is not valid, has its default. */
export function readPrices(text: string): Prices {
  const stored = JSON.parse(text) as Record<string, unknown>;
  const prices = PRICE_KEYS.map((key) => {
    const { schema, fallback } = settingOf(key);
    const value = schema.safeParse(stored[key]);
    return [key, value.success ? value.data : fallback];
  });
  return Object.fromEntries(prices) as Prices;
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, child]) => [name, sorted(child)]));
}
