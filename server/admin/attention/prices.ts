// Models that channels offer without a price: the relay refuses their calls.
import { nowSeconds } from '#server/admin/clock.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';
import { readRefusals } from '#server/admin/refused-because.ts';

export async function checkPrices(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store, priceOf } = dependencies;
  const groupOf = new Map((await readOfferedModels(store)).map(({ model, group }) => [model, group]));
  const names = [...groupOf]
    .filter(([model, group]) => priceOf(model, group) === 'no_price')
    .map(([model]) => model)
    .sort();
  if (names.length === 0) return [];
  const since = new Map(names.map((name) => [name, 0]));
  const refused = (await readRefusals(store, 'no_price', since, nowSeconds(dependencies)))(names);
  return [
    found('model_unpriced', {
      mark: markOf(names),
      since: 0,
      subjects: names.map((name) => ({ kind: 'model', id: name, name })),
      ...refused,
      values: {},
      address: names.length === 1 ? `/model/${encodeURIComponent(names[0] ?? '')}` : '/model',
    }),
  ];
}
