// What the price book needs from the application.
import type { Egress } from '#server/egress/index.ts';
import type { PriceBookParts } from '#server/price-book/drafts.ts';
import type { Store } from '#server/store/store.ts';

export interface PriceBookDependencies extends PriceBookParts {
  store: Store;
  egress: Pick<Egress, 'fetch'>;
}
