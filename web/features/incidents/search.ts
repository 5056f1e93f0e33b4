/**
 * Search parameters of the page of incidents: the page of the list, the open one, and whether a new one is written, of which
 * models and since when.
 */
import { flag, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const incidentSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  open: whole(1),
  write: flag,
  /** Separated by commas. */
  models: text(2000),
  begun: whole(1),
});

export type IncidentSearch = SearchOf<typeof incidentSearch>;

export const useIncidentSearch = () => useAddress(incidentSearch);
