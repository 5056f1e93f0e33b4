// Joins what sets and compares prices: the public price list, the price book, virtual models, comparisons, buy prices, margins, the overview and
// suppliers' bills.
import type { Egress } from '#server/platform/egress/index.ts';
import { createAnswerCacheHandlers } from '#server/admin/answer-cache/index.ts';
import {
  createChannelCostHandlers,
  createMarginHandlers,
  recentMargins,
} from '#server/admin/margins/index.ts';
import { createChannelPageHandlers } from '#server/admin/channels/page/index.ts';
import type { ChannelDependencies } from '#server/admin/channels/index.ts';
import { createModelHandlers } from '#server/admin/models/index.ts';
import { createOverviewHandlers } from '#server/admin/overview/index.ts';
import { createPriceBookHandlers } from '#server/admin/price-book/index.ts';
import { createPricingHandlers } from '#server/admin/pricing/index.ts';
import { createShadowHandlers } from '#server/admin/shadow-calls/index.ts';
import { createSupplierPageHandlers } from '#server/admin/supplier-pages/index.ts';
import { createSupplierHandlers } from '#server/admin/supplier-scores/index.ts';
import { createVirtualModelHandlers } from '#server/admin/virtual-models/index.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface PriceParts {
  store: Store;
  settings: LiveSettings;
  egress: Egress;
  relay: Pick<Relay, 'core' | 'priceOf' | 'simulate'>;
  channels: ChannelDependencies;
}

export function joinPrices({ store, settings, egress, relay, channels }: PriceParts) {
  const margins = recentMargins({ store, settings });
  return {
    pricing: createPricingHandlers({ store, settings, priceOf: relay.priceOf }),
    priceBook: createPriceBookHandlers({ store, settings, egress }),
    margins: createMarginHandlers({ store, settings }),
    overview: createOverviewHandlers({ store, settings, margins }),
    channelPages: createChannelPageHandlers({ ...channels, settings, margins }),
    modelPages: createModelHandlers({
      store,
      settings,
      margins,
      priceOf: relay.priceOf,
      upstreamModel: (mapping, model) => channels.upstreamModel(mapping, model),
    }),
    channelCosts: createChannelCostHandlers({ store }),
    virtualModels: createVirtualModelHandlers({
      store,
      priceOf: relay.priceOf,
      simulate: (request) => relay.simulate(request),
    }),
    answerCache: createAnswerCacheHandlers({ store, answers: relay.core.answers }),
    shadowCalls: createShadowHandlers({ store, settings }),
    supplierPages: createSupplierPageHandlers({ store, settings, margins, types: channels.types }),
    suppliers: createSupplierHandlers({ store, settings }),
  };
}
