// What the price book needs from the application.
import type { Egress } from '#server/platform/egress/index.ts';
import type { PriceBookParts } from '#server/money/price-book/drafts.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface PriceBookDependencies extends PriceBookParts {
  store: Store;
  egress: Pick<Egress, 'fetch'>;
}
