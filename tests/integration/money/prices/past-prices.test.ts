// Price versions as they are read back: the one in force at a time, those of a time, and what a model cost by them.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createPriceHistory } from '#server/money/price-book/price-history.ts';
import {
  newestVersion,
  pricesOf,
  readVersion,
  runningVersionAt,
  versionsSince,
} from '#server/money/price-book/versions.ts';
import { priceListDigest } from '#server/money/prices/price-list/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, open) =>
  describe('past prices', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      await store.db.deleteFrom('price_versions').execute();
      await add(11, 1000, 1);
      await add(12, 2000, 2);
      await add(13, 3000, 3);
    });
    afterEach(async () => store.close());

    const add = (id: number, effective_at: number, ratio: number, more: object = {}) =>
      store.db
        .insertInto('price_versions')
        .values({
          id,
          effective_at,
          source: 'test',
          list: priceListDigest(),
          prices: JSON.stringify({
            GroupRatio: { default: 1 },
            ModelRatio: { own: ratio },
            CompletionRatio: { own: 2 },
          }),
          ...more,
        })
        .execute();
    const idOf = (version: { id: number } | undefined) => version?.id;

    test('are those of the version that was in force', async () => {
      const at = async (seconds: number) => idOf(await runningVersionAt(store.db, seconds));
      expect([await at(999), await at(1000), await at(2999), await at(3000)]).toEqual([
        undefined,
        11,
        12,
        13,
      ]);
      expect([idOf(await newestVersion(store.db)), idOf(await readVersion(store.db, 12))]).toEqual([13, 12]);
      expect(await readVersion(store.db, 99)).toBeUndefined();
      expect(pricesOf(await newestVersion(store.db))).toMatchObject({
        priceVersion: 13,
        ModelRatio: { own: 3 },
      });
    });

    test('of a time begin with the one before it', async () => {
      const since = async (seconds: number, most: number) =>
        (await versionsSince(store.db, seconds, most)).map(({ id }) => id);
      expect(await since(2000, 10)).toEqual([11, 12, 13]);
      expect(await since(2001, 10)).toEqual([12, 13]);
      expect(await since(1000, 2)).toEqual([12, 13]);
      expect(await since(5000, 2)).toEqual([13]);
      expect(await since(0, 10)).toEqual([11, 12, 13]);
    });

    test('of a model have a price where the operator or the list of this release knows it', async () => {
      const history = createPriceHistory(store);
      const ratios = async (model: string, newest: number | undefined) =>
        (await history(model, 'default', newest)).map(({ at, version, price }) => [
          at,
          version,
          price?.kind === 'ratio' ? price.modelRatio : price?.kind,
        ]);
      expect(await ratios('own', 13)).toEqual([
        [1000, 11, 1],
        [2000, 12, 2],
        [3000, 13, 3],
      ]);
      const prices = (fields: object) => JSON.stringify({ GroupRatio: { default: 1 }, ...fields });
      await add(14, 4000, 0, { list: 'an older one', prices: prices({ ModelRatio: { own: 4 } }) });
      await add(15, 5000, 5, { list: 'an older one' });
      await add(16, 6000, 0, { list: 'an older one', prices: prices({ ModelPrice: { own: 4 } }) });
      await add(17, 7000, 0, { prices: prices({ ModelRatio: { other: 4 } }) });
      // Read once for each newest version.
      expect(await ratios('own', 13)).toHaveLength(3);
      expect((await ratios('own', 17)).slice(3)).toEqual([
        [4000, 14, undefined],
        [5000, 15, 5],
        [6000, 16, 'price'],
        [7000, 17, undefined],
      ]);
      const listed = await ratios('gpt-4o', 17);
      expect(listed.map(([, version, price]) => [version, price !== undefined])).toEqual([
        [11, true],
        [12, true],
        [13, true],
        [14, false],
        [15, false],
        [16, false],
        [17, true],
      ]);
      expect((await history('own', 'nobody', 17)).every(({ price }) => price === undefined)).toBe(true);
    });
  }),
);
