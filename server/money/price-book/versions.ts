// Reads price versions. server/platform/settings makes one in the transaction of every change of a price option.
import type { Kysely } from 'kysely';
import { readPrices, type Prices } from '#contract/money/price-keys.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';

export type PriceVersion = Row<'price_versions'>;

export async function readVersion(database: Kysely<Schema>, id: number): Promise<PriceVersion | undefined> {
  return await database.selectFrom('price_versions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The running version, as the transaction sees it. */
export async function newestVersion(database: Kysely<Schema>): Promise<PriceVersion> {
  return await database
    .selectFrom('price_versions')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** The version that was in force at this time; undefined before the first one. */
export async function runningVersionAt(
  database: Kysely<Schema>,
  unixSeconds: number,
): Promise<PriceVersion | undefined> {
  return await database
    .selectFrom('price_versions')
    .selectAll()
    .where('effective_at', '<=', unixSeconds)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** With its number, so that a snapshot made from it names the version. */
export function pricesOf({ id, prices }: PriceVersion): Prices & { priceVersion: number } {
  return { ...readPrices(prices), priceVersion: id };
}

/** The newest of this time and the one before them, oldest first. */
export async function versionsSince(
  database: Kysely<Schema>,
  since: number,
  most: number,
): Promise<PriceVersion[]> {
  const [inTime, before] = await Promise.all([
    database
      .selectFrom('price_versions')
      .selectAll()
      .where('effective_at', '>=', since)
      .orderBy('id', 'desc')
      .limit(most)
      .execute(),
    database
      .selectFrom('price_versions')
      .selectAll()
      .where('effective_at', '<', since)
      .orderBy('id', 'desc')
      .limit(1)
      .execute(),
  ]);
  return [...before, ...inTime.toReversed()];
}
