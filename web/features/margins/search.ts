/** Search parameters of the margin page: the span, what is summed, and the filters of the drill-down. */
import type { MarginDimension } from '#contract/money/margins.ts';
import { oneOf, pattern, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

/** Not from the contract, whose schemas are no part of the first load. */
export const DIMENSIONS = [
  'channel',
  'supplier',
  'model',
  'group',
  'user',
  'day',
] as const satisfies readonly MarginDimension[];
export const DAY_CHOICES = [1, 7, 30, 90, 365] as const;

export const marginSearch = searchParams({
  ...gridSearch,
  days: oneOf(...DAY_CHOICES),
  by: oneOf(...DIMENSIONS),
  channel: whole(0),
  supplier: whole(0),
  model: text(255),
  group: text(64),
  user: whole(0),
  day: pattern(/^\d{4}-\d{2}-\d{2}$/),
});

export type MarginSearch = SearchOf<typeof marginSearch>;
export type ChangeSearch = ChangeAddress<MarginSearch>;

export const useMarginSearch = () => useAddress(marginSearch);
