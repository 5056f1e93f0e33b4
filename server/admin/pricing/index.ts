// The public price list: every model that can be called now, priced as the relay would price it.
import type { Handlers } from '#server/admin/context.ts';
import type { pricing } from '#contract/money/pricing.ts';
import { createOffers } from './offers.ts';
import { listPrices, type PricingDependencies } from './list.ts';

export { createCatalogue, dollarsOf } from './catalogue.ts';
export type { PricingDependencies } from './list.ts';

export function createPricingHandlers(dependencies: PricingDependencies): Handlers<typeof pricing> {
  const offers = createOffers(dependencies.store);
  return { list: listPrices(dependencies, offers) };
}
