// What a model cost since when, read from the published price versions. A version whose built-in list is another one than that of
// this release prices only the models that the operator set: the numbers of an old list are not kept.
import { readPrices, type Prices } from '#contract/money/price-keys.ts';
import { builtInPrice, priceListDigest } from '#server/money/prices/price-list/index.ts';
import { resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface PricePoint {
  /** Unix seconds. */
  readonly at: number;
  readonly version: number;
  /** Undefined: not for sale then, or not known any more. */
  readonly price: PriceSnapshot | undefined;
}

interface KeptVersion {
  readonly id: number;
  readonly at: number;
  readonly isSameList: boolean;
  readonly prices: Prices;
}

/** More are not drawn. */
const MOST_VERSIONS = 60;

/** `newest`: the running version, so that versions are read again only when there is a new one. */
export function createPriceHistory(store: Pick<Store, 'db'>) {
  let kept: Promise<readonly KeptVersion[]> | undefined;
  let keptUntil: number | undefined;

  async function read(): Promise<readonly KeptVersion[]> {
    const rows = await store.db
      .selectFrom('price_versions')
      .select(['id', 'effective_at', 'list', 'prices'])
      .orderBy('effective_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_VERSIONS)
      .execute();
    const list = priceListDigest();
    const versions: KeptVersion[] = [];
    for (const row of rows.toReversed()) {
      versions.push({
        id: row.id,
        at: row.effective_at,
        isSameList: row.list === list,
        prices: readPrices(row.prices),
      });
      // A version is a long text: calls go on between two of them.
      await Bun.sleep(0);
    }
    return versions;
  }

  return async (model: string, group: string, newest: number | undefined): Promise<PricePoint[]> => {
    if (kept === undefined || keptUntil !== newest) {
      keptUntil = newest;
      const reading = read();
      kept = reading;
      reading.catch(() => {
        if (kept === reading) kept = undefined;
      });
    }
    return (await kept).map(({ id, at, isSameList, prices }) => {
      const price = resolvePrice(prices, isSameList ? builtInPrice : () => undefined, model, group);
      // Without its list a model of the operator has only what the operator set; the rest would be a guess.
      const isKnown =
        typeof price !== 'string' && price.source !== 'unknown' && (isSameList || isWhole(prices, model));
      return { at, version: id, price: isKnown ? price : undefined };
    });
  };
}

/** The operator set input and output, or a fixed price. */
function isWhole({ ModelPrice, ModelRatio, CompletionRatio }: Prices, model: string): boolean {
  if (Object.hasOwn(ModelPrice, model)) return true;
  return Object.hasOwn(ModelRatio, model) && Object.hasOwn(CompletionRatio, model);
}
