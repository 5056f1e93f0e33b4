// Joins the pages that visitors, search engines and link previews read.
import type { StatusView } from '#contract/admin/site.ts';
import { VERSION } from '#server/platform/version.ts';
import { announcementsForEverybody } from '#server/admin/announcements/index.ts';
import { questionsInOrder } from '#server/admin/faq/index.ts';
import { createSharedChats } from '#server/admin/chats/index.ts';
import { createMeasuring } from '#server/admin/measured/index.ts';
import { publicPlans } from '#server/admin/plans/index.ts';
import { createCatalogue } from '#server/admin/pricing/index.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { consolePage } from '#server/admin/public-pages/console-page.tsx';
import { docsPage } from '#server/admin/public-pages/docs/docs-page.tsx';
import type { ReadDocument } from '#server/admin/public-pages/docs/documents.ts';
import { homePage } from '#server/admin/public-pages/home/home-page.tsx';
import { createPublicPages, type PublicPages } from '#server/admin/public-pages/index.ts';
import { legalPage } from '#server/admin/public-pages/legal-page.tsx';
import { cataloguePage } from '#server/admin/public-pages/models/catalogue-page.tsx';
import { modelPage } from '#server/admin/public-pages/models/model-page.tsx';
import { sharedChatPage } from '#server/admin/public-pages/shared-chat/shared-chat-page.tsx';
import { plansPage } from '#server/admin/public-pages/plans/plans-page.tsx';
import { statusFeed, statusJson } from '#server/admin/public-pages/status/feed.ts';
import { statusPage } from '#server/admin/public-pages/status/status-page.tsx';
import { createStatusFacts } from '#server/admin/status/index.ts';
import { createPriceHistory } from '#server/money/price-book/price-history.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface PublicPageParts {
  store: Store;
  settings: LiveSettings;
  relay: Pick<Relay, 'priceOf'>;
  topUpPrices: () => StatusView['top_up_prices'];
  documentText: ReadDocument;
  indexText: () => Promise<string | undefined>;
}

export function joinPublicPages(parts: PublicPageParts): PublicPages {
  const { store, settings, relay, topUpPrices, documentText, indexText } = parts;
  const catalogue = createCatalogue({ store, settings, priceOf: relay.priceOf });
  const measuring = createMeasuring({ store, settings });
  const status = createStatusFacts({ store, settings, priceOf: relay.priceOf, measuring });
  const facts: PageFacts = {
    catalogue,
    async plans() {
      const known = new Set((await catalogue()).models.map(({ name }) => name));
      // A plan may name models that are not for everybody; one that has no other is not for visitors.
      return (await publicPlans(store)).flatMap((plan) => {
        const models = plan.models.filter((model) => known.has(model));
        return models.length === 0 && plan.models.length > 0 ? [] : [{ ...plan, models }];
      });
    },
    topUpPrices,
    questions: () => questionsInOrder(store),
    announcements: () => announcementsForEverybody(store),
    measuring,
    history: createPriceHistory(store),
  };
  return createPublicPages({
    store,
    settings,
    version: VERSION,
    pages: [
      homePage(facts),
      cataloguePage(facts),
      modelPage(facts),
      plansPage(facts),
      statusPage(status),
      statusFeed(status),
      statusJson(status),
      docsPage(facts, documentText),
      legalPage,
      consolePage(indexText),
      sharedChatPage(createSharedChats(store)),
    ],
  });
}
