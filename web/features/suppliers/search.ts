/** Search parameters of the suppliers: which list, the opened row, the drawer of an import. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { oneOf, searchParams, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const supplierSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  /** Nothing: the scores. */
  view: oneOf('bills'),
  open: whole(1),
  add: oneOf('bill'),
});

export const supplierPageSearch = searchParams({ window: oneOf(...THING_WINDOWS) });

export const supplierReportSearch = searchParams({ id: whole(1) });

export type SupplierSearch = SearchOf<typeof supplierSearch>;
export type ChangeSearch = ChangeAddress<SupplierSearch>;

/** What each list gets of the page. */
export interface PartProps {
  search: SupplierSearch;
  change: ChangeSearch;
}

export const useSupplierSearch = () => useAddress(supplierSearch);
