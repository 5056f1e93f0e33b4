// Versions of the price options that moved the price of one of these models, as events of a page.
import type { ThingEvent } from '#contract/admin/thing-parts.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { pricesOf, versionsSince } from '#server/money/price-book/versions.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isSamePrice, unitPriceOf } from './unit-price.ts';

const SINCE_DAYS = 90;
/** Older ones of these days are left out. */
const MOST_VERSIONS = 8;

export async function priceEvents(
  { db }: Store,
  models: readonly string[],
  group: string,
  now: number,
): Promise<ThingEvent[]> {
  const versions = await versionsSince(db, now - SINCE_DAYS * DAY_SECONDS, MOST_VERSIONS);
  const priced = versions.map((version) => ({
    version,
    prices: createPriceCache(pricesOf(version), builtInPrice),
  }));
  const makers = [...new Set(versions.map(({ created_by }) => created_by))].filter((id) => id > 0);
  const users =
    makers.length === 0
      ? []
      : await db.selectFrom('users').select(['id', 'username']).where('id', 'in', makers).execute();
  const nameOf = new Map(users.map(({ id, username }) => [id, username]));
  const events = priced.slice(1).flatMap(({ version, prices }, index): ThingEvent[] => {
    const old = priced[index]?.prices ?? prices;
    const moved = models.flatMap((model) => {
      const before = unitPriceOf(old.resolve(model, group));
      const after = unitPriceOf(prices.resolve(model, group));
      return before === null || after === null || isSamePrice(before, after)
        ? []
        : [{ model, before, after }];
    });
    const [first] = moved;
    if (first === undefined) return [];
    const actor = nameOf.get(version.created_by) ?? '';
    return [
      {
        kind: 'price',
        at: version.effective_at,
        version: version.id,
        actor,
        ...first,
        more: moved.length - 1,
      },
    ];
  });
  return events.toReversed();
}
