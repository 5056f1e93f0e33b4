// The price list for one caller, without models and groups this caller cannot use.
import type { Caller, RequestContext } from '#server/admin/context.ts';
import { groupDescription } from '#contract/admin/group-descriptions.ts';
import type { Language, Text } from '#contract/language.ts';
import { QUOTA_TYPE, type PricingEntry } from '#contract/money/pricing.ts';
import type { Settings } from '#contract/settings.ts';
import { builtInPrice, listPosition } from '#server/money/prices/price-list/index.ts';
import type { PriceRefusal, PriceSettings, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Offers } from './offers.ts';
import { pathsOf } from './paths.ts';
import { virtualEntries } from './virtual.ts';

export interface PricingDependencies {
  store: Store;
  settings: { readonly current: PriceSettings & Pick<Settings, 'UserUsableGroups'> };
  /** What the relay would charge a call by, or why it would refuse it. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
}

const VISITOR_GROUP = 'default';
const OWN_GROUP: Text = { zh: '用户分组', en: 'user group' };

export function listPrices({ store, settings, priceOf }: PricingDependencies, offers: () => Promise<Offers>) {
  return async (_: unknown, { user, language }: RequestContext) => {
    const { current } = settings;
    const usable = usableGroups(current, user, language);
    const groups = Object.keys(usable);
    const plain: PricingEntry[] = [];
    const offered = await offers();
    for (const [model, offering] of offered) {
      const entry = entryOf(
        priceOf,
        model,
        groups.filter((group) => offering.has(group)),
      );
      if (entry) plain.push(entry);
    }
    const virtual = await virtualEntries({
      store,
      groups,
      offers: offered,
      isPriced: (model, group) => typeof priceOf(model, group) === 'object',
      entryOf: (model, reached) => entryOf(priceOf, model, reached),
      plain,
    });
    // A virtual model may take the calls of a plain one of its name.
    const taken = new Set(virtual.map(({ model_name }) => model_name));
    const data = [...plain.filter(({ model_name }) => !taken.has(model_name)), ...virtual].sort(byFamily);
    const ratios = groups.map((group) => [group, current.GroupRatio[group] ?? 1] as const);
    return { data, group_ratio: Object.fromEntries(ratios), usable_group: usable };
  };
}

/** The groups open to users and the caller's own, without groups that have no ratio: those cannot be called. */
export function usableGroups(
  settings: PricingDependencies['settings']['current'],
  user: Caller | null,
  language: Language,
): Record<string, string> {
  const own = user?.group ?? VISITOR_GROUP;
  const all = { [own]: OWN_GROUP[language], ...settings.UserUsableGroups };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([group]) => Object.hasOwn(settings.GroupRatio, group))
      .map(([group, description]) => [group, groupDescription(description, language)]),
  );
}

/** Undefined for a model without a price or without a usable group: the relay would refuse it. */
function entryOf(
  priceOf: PricingDependencies['priceOf'],
  model: string,
  groups: readonly string[],
): PricingEntry | undefined {
  const [first] = groups;
  if (first === undefined) return undefined;
  const price = priceOf(model, first);
  if (typeof price === 'string') return undefined;
  const known = builtInPrice(model);
  const isFixed = price.kind === 'price';
  return {
    model_name: model,
    quota_type: isFixed ? QUOTA_TYPE.call : QUOTA_TYPE.usage,
    model_ratio: isFixed ? 0 : price.modelRatio,
    completion_ratio: isFixed ? 0 : price.completionRatio,
    cache_ratio: isFixed ? 0 : price.cacheRatio,
    model_price: isFixed ? price.modelPrice : 0,
    price_unit: (isFixed ? price.unit : undefined) ?? 'call',
    resolution_prices: (isFixed ? price.resolutionPrices : undefined) ?? {},
    enable_groups: [...groups],
    owner_by: known?.vendor ?? '',
    kind: known?.kind ?? '',
    context: known?.context ?? 0,
    endpoints: [...pathsOf(model)],
    list_position: listPosition(model),
  };
}

/** gpt models first, then by name, as in compatible gateways. */
function byFamily(left: PricingEntry, right: PricingEntry): number {
  const rank = ({ model_name }: PricingEntry) => (model_name.startsWith('gpt') ? 0 : 1);
  return rank(left) - rank(right) || (left.model_name < right.model_name ? -1 : 1);
}
