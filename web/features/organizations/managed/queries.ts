/** Queries of the list of organizations. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { ManagedSearch } from '#web/features/organizations/search.ts';

export const MANAGED_KEY = ['managed-organizations'] as const;

const SORTS = ['name', 'quota', 'used_quota', 'members', 'created_at'] as const;

export const managedQueries = {
  list: ({ q, state }: Pick<ManagedSearch, 'q' | 'state'>, { page, pageSize, sort }: GridQuery) =>
    queryOptions({
      queryKey: [...MANAGED_KEY, 'list', q, state, page, pageSize, sort],
      queryFn: ({ signal }) =>
        api.organizationManagement.list({
          query: {
            keyword: q,
            state,
            p: page,
            page_size: pageSize,
            sort: SORTS.find((name) => name === sort?.key),
            order: sort?.order,
          },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...MANAGED_KEY, 'one', id],
      queryFn: ({ signal }) => api.organizationManagement.read({ params: { id }, signal }),
    }),
  groups: () =>
    queryOptions({
      queryKey: ['groups'],
      queryFn: ({ signal }) => api.channels.groups({ signal }),
      staleTime: 60_000,
    }),
};
