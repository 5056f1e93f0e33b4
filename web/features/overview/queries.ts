/** Queries of the overview. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { OverviewDay } from '#contract/admin/overview.ts';
import { api } from '#web/api.ts';

const MINUTE = 60_000;

export const overviewQueries = {
  operator: (day: OverviewDay) =>
    queryOptions({
      queryKey: ['overview', day],
      queryFn: ({ signal }) => api.overview.operator({ query: { day }, signal }),
      placeholderData: keepPreviousData,
      refetchInterval: MINUTE,
    }),
  self: queryOptions({
    queryKey: ['overview', 'self'],
    queryFn: ({ signal }) => api.overview.self({ signal }),
    refetchInterval: MINUTE,
  }),
};
