// Joins what sets and compares prices: the public price list, the price book, buy prices, margins, the overview and suppliers' bills.
import type { Egress } from '#server/platform/egress/index.ts';
import {
  createChannelCostHandlers,
  createMarginHandlers,
  marginReport,
} from '#server/admin/margins/index.ts';
import { createOverviewHandlers } from '#server/admin/overview/index.ts';
import { createPriceBookHandlers } from '#server/admin/price-book/index.ts';
import { createPricingHandlers } from '#server/admin/pricing/index.ts';
import { createSupplierHandlers } from '#server/admin/supplier-scores/index.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface PriceParts {
  store: Store;
  settings: LiveSettings;
  egress: Egress;
  relay: Pick<Relay, 'priceOf'>;
}

export function joinPrices({ store, settings, egress, relay }: PriceParts) {
  return {
    pricing: createPricingHandlers({ store, settings, priceOf: relay.priceOf }),
    priceBook: createPriceBookHandlers({ store, settings, egress }),
    margins: createMarginHandlers({ store, settings }),
    overview: createOverviewHandlers({
      store,
      settings,
      margins: (query) => marginReport({ store, settings }, query),
    }),
    channelCosts: createChannelCostHandlers({ store }),
    suppliers: createSupplierHandlers({ store, settings }),
  };
}
