/** Queries of the settings page. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const OPTIONS_KEY = ['options'] as const;
const HISTORY_SIZE = 20;

export const optionQueries = {
  list: () =>
    queryOptions({
      queryKey: [...OPTIONS_KEY, 'list'],
      queryFn: ({ signal }) => api.options.list({ signal }),
      staleTime: 0,
    }),
  registry: () =>
    queryOptions({
      queryKey: [...OPTIONS_KEY, 'registry'],
      queryFn: ({ signal }) => api.options.registry({ signal }),
      staleTime: Infinity,
    }),
  models: () =>
    queryOptions({
      queryKey: [...OPTIONS_KEY, 'models'],
      queryFn: ({ signal }) => api.options.models({ signal }),
    }),
  groupUse: () =>
    queryOptions({
      queryKey: [...OPTIONS_KEY, 'groups'],
      queryFn: ({ signal }) => api.options.groupUse({ signal }),
      staleTime: 0,
    }),
  configuration: () =>
    queryOptions({
      queryKey: [...OPTIONS_KEY, 'configuration'],
      queryFn: ({ signal }) => api.options.configuration({ signal }),
      staleTime: 0,
    }),
  history: (key: string | undefined) =>
    infiniteQueryOptions({
      queryKey: [...OPTIONS_KEY, 'history', key ?? ''],
      queryFn: ({ signal, pageParam }) =>
        api.options.history({ query: { p: pageParam, page_size: HISTORY_SIZE, key }, signal }),
      initialPageParam: 1,
      getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
    }),
};
