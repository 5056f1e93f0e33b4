// Every model that is offered or priced, with its running price and where the number comes from.
import type { BookedModel } from '#contract/money/price-book-views.ts';
import { readPrices } from '#contract/money/price-keys.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { readKnownModels, priceOf } from '#server/money/price-book/proposals.ts';
import { newestVersion } from '#server/money/price-book/versions.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { PriceBookDependencies } from './dependencies.ts';
import { figuresOf } from './figures.ts';

export function listModels({ store }: PriceBookDependencies) {
  return async (): Promise<BookedModel[]> => {
    const prices = readPrices((await newestVersion(store.db)).prices);
    const [known, offered] = await Promise.all([readKnownModels(store.db, prices), readOfferedModels(store)]);
    const isOffered = new Set(offered.map(({ model }) => model));
    return [...known].toSorted().map((model) => {
      const price = priceOf(prices, model);
      const listed = builtInPrice(model);
      const source = price === undefined || price.source === 'unknown' ? 'none' : price.source;
      return {
        model,
        vendor: listed?.vendor ?? '',
        offered: isOffered.has(model),
        source,
        is_verified: source !== 'list' || listed?.verified !== undefined,
        figures: figuresOf(price),
      };
    });
  };
}
