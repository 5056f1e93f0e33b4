/** What the page of jobs reads; again every few seconds, because jobs run by themselves. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

const REFRESH_MILLISECONDS = 5000;

export const JOBS_KEY = ['jobs'] as const;

export const jobQueries = {
  list: () =>
    queryOptions({
      queryKey: JOBS_KEY,
      queryFn: ({ signal }) => api.jobs.list({ signal }),
      refetchInterval: REFRESH_MILLISECONDS,
    }),
};
