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
  /** The editor opens at this model, or at all that have no price. */
  model: text(255),
  unpriced: flag,
});

export type PriceSearch = SearchOf<typeof priceSearch>;

export const usePriceSearch = () => useAddress(priceSearch);

/** What every part of the page gets. */
export interface PartProps {
  search: PriceSearch;
  change: ChangeAddress<PriceSearch>;
}

export const NO_EDITOR = { draft: undefined, model: undefined, unpriced: undefined } as const;
export const FIRST_PAGE = { ...NO_EDITOR, page: undefined, q: undefined, version: undefined } as const;

/** The address names a draft, or what to price in any. */
export const isEditorAsked = ({ draft, model, unpriced }: PriceSearch): boolean =>
  draft !== undefined || model !== undefined || unpriced === true;
