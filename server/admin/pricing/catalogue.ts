// The models on sale as visitors may see them: the groups and models of the public price list, with every class of price.
import type { PublicCatalogue, PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { builtInPrice, listPosition } from '#server/money/prices/price-list/index.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usableGroups, type PricingDependencies } from './list.ts';
import { createOffers } from './offers.ts';
import { pathsOf } from './paths.ts';
import { publicVirtualModels } from './virtual.ts';

const DOLLARS_AT_RATIO_ONE = 2;
/** Rounds off the error of binary fractions. */
const exact = (value: number): number => Number(value.toPrecision(12));

export function createCatalogue({
  store,
  settings,
  priceOf,
}: PricingDependencies): () => Promise<PublicCatalogue> {
  const offers = createOffers(store);
  return async () => {
    const { current } = settings;
    const zh = usableGroups(current, null, 'zh');
    const en = usableGroups(current, null, 'en');
    const groups = Object.keys(zh).map((name) => ({
      name,
      description: { zh: zh[name] ?? '', en: en[name] ?? '' },
      ratio: current.GroupRatio[name] ?? 1,
    }));
    const models: PublicModel[] = [];
    const offeredModels = await offers();
    for (const [name, offered] of offeredModels) {
      const found = groups.flatMap((group) => {
        const price = offered.has(group.name) ? priceOf(name, group.name) : 'no_group';
        return typeof price === 'string' ? [] : [[group.name, price] as const];
      });
      if (found.length > 0) models.push(modelOf(name, found));
    }
    const virtual = await publicVirtualModels({
      store,
      priceIn(model, group) {
        const price = priceOf(model, group);
        return typeof price === 'string' ? undefined : dollarsOf(price);
      },
      groups: groups.map(({ name }) => name),
      offers: offeredModels,
      plain: models,
    });
    // A virtual model may take the calls of a plain one of its name.
    const taken = new Set(virtual.map(({ name }) => name));
    const plain = models.filter(({ name }) => !taken.has(name));
    return { groups, models: [...plain, ...virtual].sort(byPosition) };
  };
}

function modelOf(
  name: string,
  found: readonly (readonly [group: string, price: PriceSnapshot])[],
): PublicModel {
  const known = builtInPrice(name);
  return {
    name,
    vendor: known?.vendor ?? '',
    kind: known?.kind ?? '',
    context: known?.context ?? 0,
    maxOutput: known?.maxOutput ?? 0,
    endpoints: pathsOf(name),
    position: listPosition(name),
    prices: Object.fromEntries(found.map(([group, price]) => [group, dollarsOf(price)])),
    hasRules: found.some(([, price]) => isRuled(price)),
  };
}

const isRuled = ({ tiers, minimum, fee, search, hourRatio }: PriceSnapshot): boolean =>
  [tiers, minimum, fee, search, hourRatio].some((each) => each !== undefined);

export function dollarsOf(price: PriceSnapshot): PublicPrice {
  const { groupRatio } = price;
  if (price.kind === 'price') {
    const resolutions = Object.entries(price.resolutionPrices ?? {}).map(
      ([resolution, dollars]) => [resolution, exact(dollars * groupRatio)] as const,
    );
    return {
      kind: price.unit ?? 'call',
      price: exact(price.modelPrice * groupRatio),
      resolutions: Object.fromEntries(resolutions),
    };
  }
  const input = price.modelRatio * DOLLARS_AT_RATIO_ONE * groupRatio;
  return {
    kind: 'usage',
    input: exact(input),
    output: exact(input * price.completionRatio),
    cached: exact(input * price.cacheRatio),
    cacheWrite: exact(input * price.cacheWriteRatio),
    cacheWrite1h: exact(input * price.cacheWrite1hRatio),
  };
}

/** Models that the list does not know are last, by name. */
function byPosition(left: PublicModel, right: PublicModel): number {
  const place = ({ position }: PublicModel) => (position < 0 ? Infinity : position);
  if (place(left) !== place(right)) return place(left) - place(right);
  return left.name < right.name ? -1 : 1;
}
