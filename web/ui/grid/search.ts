/**
 * The part of a page's address that every list shares. A page adds its own filters in its search.ts:
 * `searchParams({ ...gridSearch, status: whole(1, 4) })`.
 */
import { PAGE_SIZES } from '#contract/lists.ts';
import { oneOf, pattern, whole } from '#web/ui/address/search-params.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import type { GridQuery } from './types.ts';
import { readPageSize } from './page-size.ts';

export const gridSearch = {
  /** From 1. */
  page: whole(1),
  size: oneOf(...PAGE_SIZES),
  /** `name` or `-name` for descending. */
  sort: pattern(/^-?[a-z_]+$/),
};

export interface GridSearch {
  page?: number;
  size?: (typeof PAGE_SIZES)[number];
  sort?: string;
}

export function gridQuery(search: GridSearch, storage: Pick<Storage, 'getItem'> = localStorage): GridQuery {
  const { page = 1, size, sort } = search;
  return {
    page,
    pageSize: size ?? readPageSize(storage),
    sort: sort ? { key: sort.replace(/^-/, ''), order: sort.startsWith('-') ? 'desc' : 'asc' } : undefined,
  };
}

/** The search parameters of a changed query; defaults are left out, so addresses stay short. */
export function searchOfQuery(query: Partial<GridQuery>): GridSearch {
  const search: GridSearch = {};
  if ('page' in query) search.page = query.page && query.page > 1 ? query.page : undefined;
  if ('pageSize' in query) search.size = PAGE_SIZES.find((size) => size === query.pageSize);
  if ('sort' in query) {
    search.sort = query.sort ? `${query.sort.order === 'desc' ? '-' : ''}${query.sort.key}` : undefined;
  }
  return search;
}

type FoundBy = GridSearch & { q?: string };

/** The props of a grid whose page, order and search text `q` are in the address. */
export function addressProps(search: FoundBy, change: ChangeAddress<FoundBy>, placeholder: string) {
  return {
    onQueryChange: (query: Partial<GridQuery>) => change(searchOfQuery(query)),
    search: {
      value: search.q ?? '',
      onChange: (q: string) => change({ q: q || undefined, page: undefined }, { replace: true }),
      placeholder,
    },
  };
}
