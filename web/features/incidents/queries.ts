/** Queries of the page of incidents. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const INCIDENTS_KEY = ['incidents'] as const;

/** An incident by fact can begin or end at any moment. */
const REFRESH_MILLISECONDS = 30_000;

export const incidentQueries = {
  list: () =>
    queryOptions({
      queryKey: [...INCIDENTS_KEY, 'list'],
      queryFn: ({ signal }) => api.incidents.list({ signal }),
      refetchInterval: REFRESH_MILLISECONDS,
    }),
};
