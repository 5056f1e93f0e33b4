// Virtual models in the public catalogue: their names, the models among which they choose, and how a call is priced. What visitors
// could not call themselves is not named.
import type { PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { VirtualTarget } from '#contract/relay/virtual-models.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Offers } from './offers.ts';
import { pathsOf } from './list.ts';

interface VirtualParts {
  store: Store;
  /** By group of the catalogue; undefined: calls are refused there. */
  priceIn: (model: string, group: string) => PublicPrice | undefined;
  groups: readonly string[];
  offers: Offers;
  /** Those of the catalogue that are plain. */
  plain: readonly PublicModel[];
}

export async function publicVirtualModels({
  store: { db },
  priceIn,
  groups,
  offers,
  plain,
}: VirtualParts): Promise<PublicModel[]> {
  const rows = await db
    .selectFrom('virtual_models')
    .select(['name', 'price', 'targets'])
    .where('enabled', '=', 1)
    .orderBy('name')
    .execute();
  const listed = new Set(plain.map(({ name }) => name));
  return rows.flatMap(({ name, price: basis, targets: text }): PublicModel[] => {
    const targets = JSON.parse(text) as VirtualTarget[];
    const reached = groups.filter((group) =>
      targets.some(
        ({ model, when }) =>
          offers.get(model)?.has(group) === true &&
          (when.groups === undefined || when.groups.includes(group)) &&
          priceIn(basis === 'own' ? name : model, group) !== undefined,
      ),
    );
    if (reached.length === 0) return [];
    const shown = [...new Set(targets.map(({ model }) => model))].filter((model) => listed.has(model));
    const model = shown[0] ?? targets[0]?.model ?? name;
    const prices = basis === 'own' ? reached.map((group) => [group, priceIn(name, group)] as const) : [];
    return [
      {
        name,
        vendor: '',
        kind: builtInPrice(model)?.kind ?? '',
        context: 0,
        maxOutput: 0,
        endpoints: pathsOf(model),
        position: -1,
        prices: Object.fromEntries(prices.flatMap(([group, price]) => (price ? [[group, price]] : []))),
        hasRules: false,
        virtual: { basis, targets: shown },
      },
    ];
  });
}
