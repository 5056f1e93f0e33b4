/** Search parameters of the re-rating page: the page of the list and the open run. */
import { searchParams, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const reratingSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  open: whole(1),
});

export type ReratingSearch = SearchOf<typeof reratingSearch>;

export const useReratingSearch = () => useAddress(reratingSearch);
