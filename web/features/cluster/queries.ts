/** What the page of nodes reads; again every few seconds, because nodes report that often. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

const REFRESH_MILLISECONDS = 5000;

export const CLUSTER_KEY = ['cluster'] as const;

export const clusterQueries = {
  view: () =>
    queryOptions({
      queryKey: CLUSTER_KEY,
      queryFn: ({ signal }) => api.cluster.view({ signal }),
      refetchInterval: REFRESH_MILLISECONDS,
    }),
};
