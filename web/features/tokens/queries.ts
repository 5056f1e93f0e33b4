/** Queries of the token page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { holderQuery } from '#web/api/holder-search.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { TokenSearch } from './search.ts';

export type TokenFilter = Pick<
  TokenSearch,
  'q' | 'status' | 'group' | 'expiry' | 'member' | 'service_account' | 'project'
>;

const SORTS = [
  'name',
  'used_quota',
  'remain_quota',
  'created_time',
  'expired_time',
  'accessed_time',
] as const;

function sortOf(query: Pick<GridQuery, 'sort'>) {
  const key = SORTS.find((sort) => sort === query.sort?.key);
  return key ? { sort: key, order: query.sort?.order } : {};
}

function fetchPage(
  filter: TokenFilter,
  query: Pick<GridQuery, 'page' | 'pageSize' | 'sort'>,
  signal?: AbortSignal,
) {
  const { q, status, group, expiry } = filter;
  const parameters = {
    p: query.page - 1,
    size: query.pageSize,
    status,
    group,
    expiry,
    ...holderQuery(filter),
    ...sortOf(query),
  };
  // The search endpoint has a rate limit, so it is used only with a text.
  return q
    ? api.tokens.search({ query: { ...parameters, either: q }, signal })
    : api.tokens.list({ query: parameters, signal });
}

export type TokenPage = Awaited<ReturnType<typeof fetchPage>>;

export const TOKENS_KEY = ['tokens'] as const;

export const tokenQueries = {
  list: (filter: TokenFilter, query: GridQuery) =>
    queryOptions({
      queryKey: [...TOKENS_KEY, 'list', filter, query],
      queryFn: ({ signal }) => fetchPage(filter, query, signal),
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...TOKENS_KEY, 'one', id],
      queryFn: ({ signal }) => api.tokens.read({ params: { id }, signal }),
    }),
  /** Administrators read keys of users below them, too. */
  page: (id: number, window: ThingWindow, asAdmin: boolean) =>
    queryOptions({
      queryKey: [...TOKENS_KEY, 'page', id, window, asAdmin],
      queryFn: ({ signal }) => {
        const input = { params: { id }, query: { window }, signal };
        return asAdmin ? api.tokens.managedPage(input) : api.tokens.page(input);
      },
      placeholderData: keepPreviousData,
    }),
  groups: () =>
    queryOptions({
      queryKey: ['self-groups'],
      queryFn: ({ signal }) => api.users.selfGroups({ signal }),
      staleTime: 60_000,
    }),
  models: () =>
    queryOptions({
      queryKey: ['self-models'],
      queryFn: ({ signal }) => api.users.models({ signal }),
      staleTime: 60_000,
    }),
  priced: () =>
    queryOptions({
      queryKey: ['tokens-priced'],
      queryFn: ({ signal }) => api.pricing.list({ signal }),
    }),
  /** Only for operators. */
  unpriced: () =>
    queryOptions({
      queryKey: ['tokens-unpriced'],
      queryFn: ({ signal }) => api.channels.unpriced({ signal }),
    }),
  address: () =>
    queryOptions({
      queryKey: ['address'],
      queryFn: ({ signal }) => api.site.address({ signal }),
      staleTime: 5 * 60_000,
    }),
};

/** Every token of the filter, for the export and "select all". */
export async function fetchAllTokens(filter: TokenFilter, sort: GridQuery['sort']): Promise<TokenView[]> {
  const all: TokenView[] = [];
  // Bounded: a user has at most a thousand tokens.
  for (let page = 1; page <= 20; page += 1) {
    const { data, total } = await fetchPage(filter, { page, pageSize: MAX_PAGE_SIZE, sort });
    all.push(...data);
    if (data.length === 0 || all.length >= total) break;
  }
  return all;
}
