/** Queries of the redemption page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import type { RedemptionView } from '#contract/money/redemptions.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { RedemptionSearch } from './search.ts';

export type RedemptionFilter = Pick<RedemptionSearch, 'q' | 'state' | 'batch'>;

const SORTS = ['id', 'name', 'quota', 'created_time', 'expired_time', 'redeemed_time'] as const;

function fetchPage(
  { q, state, batch }: RedemptionFilter,
  query: Pick<GridQuery, 'page' | 'pageSize' | 'sort'>,
  signal?: AbortSignal,
) {
  const sort = SORTS.find((name) => name === query.sort?.key);
  const order = sort ? { sort, order: query.sort?.order } : {};
  const parameters = { p: query.page, page_size: query.pageSize, state, batch, ...order };
  // The search endpoint has a rate limit, so it is used only with a text.
  return q
    ? api.redemptions.search({ query: { ...parameters, keyword: q }, signal })
    : api.redemptions.list({ query: parameters, signal });
}

export type RedemptionPage = Awaited<ReturnType<typeof fetchPage>>;

export const REDEMPTIONS_KEY = ['redemptions'] as const;

export const redemptionQueries = {
  list: (filter: RedemptionFilter, query: GridQuery) =>
    queryOptions({
      queryKey: [...REDEMPTIONS_KEY, 'list', filter, query],
      queryFn: ({ signal }) => fetchPage(filter, query, signal),
      placeholderData: keepPreviousData,
    }),
  overview: () =>
    queryOptions({
      queryKey: [...REDEMPTIONS_KEY, 'overview'],
      queryFn: ({ signal }) => api.redemptions.overview({ signal }),
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...REDEMPTIONS_KEY, 'one', id],
      queryFn: ({ signal }) => api.redemptions.read({ params: { id }, signal }),
    }),
};

/** The codes of the filter, for the export and "select all"; at most as many as one action takes. */
export async function fetchAllCodes(
  filter: RedemptionFilter,
  sort: GridQuery['sort'],
): Promise<RedemptionView[]> {
  const all: RedemptionView[] = [];
  for (let page = 1; page <= 10; page += 1) {
    const { items, total } = await fetchPage(filter, { page, pageSize: MAX_PAGE_SIZE, sort });
    all.push(...items);
    if (items.length === 0 || all.length >= total) break;
  }
  return all;
}
