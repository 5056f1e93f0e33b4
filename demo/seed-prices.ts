// Prices of the past: what the site opened with, and the change of two of them since. Written before the site is set up, because
// versions are only ever added.
import { PRICE_KEYS, pricesText } from '#contract/money/price-keys.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { pricesOf } from '#server/money/price-book/versions.ts';
import { createPriceCache, type PriceCache } from '#server/money/prices/price-cache.ts';
import { builtInPrice, priceListDigest } from '#server/money/prices/price-list/index.ts';
import { storedPrices } from '#server/platform/settings/price-versions.ts';
import type { Store } from '#server/platform/store/store.ts';

export const GROUP_RATIO = JSON.stringify({ default: 1, vip: 0.85 });

/** Ratio 1 = 2 dollars per million tokens. What is not named has the price of the built-in list. */
const VERSIONS = [
  {
    daysAgo: 84,
    reason: 'Opening prices',
    ratios: { 'gpt-5.4': 1.4, 'gemini-2.5-flash': 0.135 },
  },
  { daysAgo: 12, reason: 'gpt-5.4 down to the list price, gemini-2.5-flash up to it', ratios: {} },
] as const;

export async function bookPrices({ db }: Store, now: number): Promise<void> {
  await db.insertInto('options').values({ key: 'GroupRatio', value: GROUP_RATIO, updated_at: now }).execute();
  for (const { daysAgo, reason, ratios } of VERSIONS) {
    const options = new Map([
      ['GroupRatio', GROUP_RATIO],
      ['ModelRatio', JSON.stringify(ratios)],
    ]);
    await db
      .insertInto('price_versions')
      .values({
        effective_at: now - daysAgo * DAY_SECONDS,
        created_by: 1,
        source: 'draft',
        reason,
        list: priceListDigest(),
        prices: pricesText(
          storedPrices(new Map([...options].filter(([key]) => PRICE_KEYS.includes(key as never)))),
        ),
      })
      .execute();
  }
}

/** The prices that were in force at a time. */
export async function pricesAt({ db }: Store): Promise<(at: number) => PriceCache> {
  const versions = await db.selectFrom('price_versions').selectAll().orderBy('id', 'desc').execute();
  const caches = versions.map((version) => ({
    from: version.effective_at,
    cache: createPriceCache(pricesOf(version), builtInPrice),
  }));
  return (at) => {
    const found = caches.find(({ from }) => from <= at) ?? caches.at(-1);
    if (found === undefined) throw new Error('there are no prices');
    return found.cache;
  };
}
