/** Queries of the user page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import { USER_SORTS } from '#contract/admin/user-management.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { UserSearch } from './search.ts';

export type UserFilter = Pick<UserSearch, 'q' | 'group' | 'role' | 'state'>;

function sortOf(query: Pick<GridQuery, 'sort'>) {
  const key = USER_SORTS.find((sort) => sort === query.sort?.key);
  return key ? { sort: key, order: query.sort?.order } : {};
}

function fetchPage(
  { q, ...filter }: UserFilter,
  query: Pick<GridQuery, 'page' | 'pageSize' | 'sort'>,
  signal?: AbortSignal,
) {
  const parameters = { p: query.page, page_size: query.pageSize, ...filter, ...sortOf(query) };
  // The search endpoint is used only with a text or a group.
  return q || filter.group
    ? api.userManagement.search({ query: { ...parameters, keyword: q ?? '' }, signal })
    : api.userManagement.list({ query: parameters, signal });
}

export type UserPage = Awaited<ReturnType<typeof fetchPage>>;

export const USERS_KEY = ['users'] as const;

export const userQueries = {
  list: (filter: UserFilter, query: GridQuery) =>
    queryOptions({
      queryKey: [...USERS_KEY, 'list', filter, query],
      queryFn: ({ signal }) => fetchPage(filter, query, signal),
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...USERS_KEY, 'one', id],
      queryFn: ({ signal }) => api.users.read({ params: { id }, signal }),
    }),
  page: (id: number, window: ThingWindow) =>
    queryOptions({
      queryKey: [...USERS_KEY, 'page', id, window],
      queryFn: ({ signal }) => api.userManagement.page({ params: { id }, query: { window }, signal }),
      placeholderData: keepPreviousData,
    }),
  groups: () =>
    queryOptions({
      queryKey: ['groups'],
      queryFn: ({ signal }) => api.channels.groups({ signal }),
      staleTime: 60_000,
    }),
};

/** The limit of the export. */
const MOST_PAGES = 200;

export async function fetchAllUsers(filter: UserFilter, sort: GridQuery['sort']): Promise<ManagedUser[]> {
  const all: ManagedUser[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { items, total } = await fetchPage(filter, { page, pageSize: MAX_PAGE_SIZE, sort });
    all.push(...items);
    if (items.length === 0 || all.length >= total) break;
  }
  return all;
}
