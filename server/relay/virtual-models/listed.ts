// Where a virtual model is offered: in the groups that can reach one of its targets.
import { findPrice, type Pricing } from '#server/relay/money/admission.ts';
import type { GroupParts } from '#server/relay/money/payers.ts';
import type { VirtualModel, VirtualModels } from './book.ts';

export interface VirtualListing extends Pricing {
  readonly virtualModels: VirtualModels;
}

const pricedAs = ({ hasOwnPrice, name }: VirtualModel, target: string): string =>
  hasOwnPrice ? name : target;

/** Some target has a price and a channel that is on. */
export function isReachable(pricing: Pricing, virtual: VirtualModel, group: string): boolean {
  return virtual.targets.some(
    ({ model }) =>
      pricing.catalog.current.tiers(group, model).length > 0 &&
      typeof findPrice(pricing, pricedAs(virtual, model), group) === 'object',
  );
}

/** For the choice of a plan's group: the virtual model is offered where a target is. */
export function withTargets({ catalog, settings }: GroupParts, { targets }: VirtualModel): GroupParts {
  const isOffered = (group: string) => targets.some(({ model }) => catalog.current.isOffered(group, model));
  return { settings, catalog: { current: { isOffered } } };
}

/** The model whose tokenizer counts for a name: the first target that the group can reach. */
export function countedAs(pricing: VirtualListing, name: string, group: string): string {
  const virtual = pricing.virtualModels.current.get(name);
  if (virtual === undefined) return name;
  const { current } = pricing.catalog;
  return virtual.targets.find(({ model }) => current.tiers(group, model).length > 0)?.model ?? name;
}

/** The name whose price admits a call that reaches no upstream. */
export function pricedFor(pricing: VirtualListing, name: string, group: string): string {
  const virtual = pricing.virtualModels.current.get(name);
  if (virtual === undefined || virtual.hasOwnPrice) return name;
  const { current } = pricing.catalog;
  const isPriced = (model: string) => typeof findPrice(pricing, model, group) === 'object';
  const found = virtual.targets.find(
    ({ model }) => current.tiers(group, model).length > 0 && isPriced(model),
  );
  return found?.model ?? name;
}
