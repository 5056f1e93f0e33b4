// Models that enabled channels offer and that have no price: the relay refuses their calls.
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { ChannelDependencies } from './dependencies.ts';

export function unpricedModels({ store, settings, priceOf }: ChannelDependencies) {
  return async (): Promise<string[]> => {
    const rows = await readOfferedModels(store);
    const { current } = settings;
    const priced = priceOf ?? ((model, group) => resolvePrice(current, builtInPrice, model, group));
    const unpriced = rows.filter(({ model, group }) => priced(model, group) === 'no_price');
    return [...new Set(unpriced.map(({ model }) => model))].sort();
  };
}
