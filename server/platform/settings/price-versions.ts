// A price version is made in the transaction of every change of a price option. Two transactions must not make versions at
// the same time, because each would miss what the other one changed: the lock comes before the first option is written. Every
// write of options takes it, so that none comes between the check of what a save was based on and the write.
import type { Transaction } from 'kysely';
import { PRICE_KEYS, pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import { settingOf } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** What a version says of itself. */
export interface VersionNote {
  source: string;
  reason?: string;
  draftId?: number;
}

export const lockPrices = (store: Pick<Store, 'dialect'>, transaction: Transaction<Schema>): Promise<void> =>
  takeLock(store, transaction, 'prices');

/** Prices as the stored options have them: one that is absent or not valid has its default, as in the running settings. */
export function storedPrices(stored: ReadonlyMap<string, unknown>): Prices {
  const prices = PRICE_KEYS.map((key) => {
    const setting = settingOf(key);
    const text = stored.get(key);
    try {
      return [key, typeof text === 'string' ? setting.parse(text) : setting.fallback];
    } catch {
      return [key, setting.fallback];
    }
  });
  return Object.fromEntries(prices) as Prices;
}

/**
 * Makes a version of the options as the transaction sees them, unless the running version has the same prices. The caller
 * holds the lock. `list`: digest of the built-in price list, when it is known.
 */
export async function recordPrices(
  transaction: Transaction<Schema>,
  actorId: number,
  note: VersionNote,
  list?: string,
): Promise<number> {
  const rows = await transaction
    .selectFrom('options')
    .select(['key', 'value'])
    .where('key', 'in', PRICE_KEYS)
    .execute();
  const prices = pricesText(storedPrices(new Map(rows.map(({ key, value }) => [key, value]))));
  const running = await transaction
    .selectFrom('price_versions')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const isSameList = list === undefined || running?.list === list;
  if (running !== undefined && isSameList && pricesText(readPrices(running.prices)) === prices)
    return running.id;
  const now = unixSeconds();
  const { id } = await transaction
    .insertInto('price_versions')
    .values({
      // Clocks of nodes differ; times must grow with the ids.
      effective_at: Math.max(now, running?.effective_at ?? 0),
      created_by: actorId,
      source: note.source,
      reason: note.reason ?? '',
      draft_id: note.draftId ?? 0,
      list: list ?? running?.list ?? '',
      prices,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
