/** What the address of the page of nodes can say: the page of the list and the opened row. */
import { searchParams, text, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const clusterSearch = searchParams({ page: gridSearch.page, size: gridSearch.size, open: text(300) });

export type ClusterSearch = SearchOf<typeof clusterSearch>;
