/** Queries of comparisons. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const SHADOWS_KEY = ['shadows'] as const;
const REFETCH_MILLISECONDS = 30_000;

export type Outcome = 'all' | 'answered' | 'failed';

export const shadowQueries = {
  list: () =>
    queryOptions({
      queryKey: [...SHADOWS_KEY, 'list'],
      queryFn: ({ signal }) => api.shadowCalls.list({ signal }),
    }),
  page: (id: number) =>
    queryOptions({
      queryKey: [...SHADOWS_KEY, 'page', id],
      queryFn: ({ signal }) => api.shadowCalls.page({ params: { id }, signal }),
      refetchInterval: REFETCH_MILLISECONDS,
    }),
  samples: (id: number, outcome: Outcome) =>
    infiniteQueryOptions({
      queryKey: [...SHADOWS_KEY, 'samples', id, outcome],
      queryFn: ({ pageParam, signal }) =>
        api.shadowCalls.samples({
          params: { id },
          query: { outcome, ...(pageParam === 0 ? {} : { before: pageParam }) },
          signal,
        }),
      initialPageParam: 0,
      getNextPageParam: ({ samples, has_more }) => (has_more ? samples.at(-1)?.id : undefined),
    }),
};
