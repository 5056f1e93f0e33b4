/** Search parameters of the price book: the tab, its list, and the opened version or draft. */
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const TABS = ['running', 'drafts', 'versions', 'review'] as const;
export type PriceTab = (typeof TABS)[number];

export const priceSearch = searchParams({
  ...gridSearch,
  tab: oneOf(...TABS),
  q: text(100),
  unverified: flag,
  version: whole(1),
  draft: whole(1),
});

export type PriceSearch = SearchOf<typeof priceSearch>;

export const usePriceSearch = () => useAddress(priceSearch);

/** What every part of the page gets. */
export interface PartProps {
  search: PriceSearch;
  change: ChangeAddress<PriceSearch>;
}

export const FIRST_PAGE = { page: undefined, q: undefined, version: undefined, draft: undefined } as const;
