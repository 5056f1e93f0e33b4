/** Queries of the log page. Administrators use the endpoints for all users, other users those for themselves. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { holderQuery } from '#web/api/holder-search.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import type { LogSearch } from './search.ts';

export type LogFilter = Pick<
  LogSearch,
  | 'type'
  | 'model'
  | 'token'
  | 'group'
  | 'request'
  | 'user'
  | 'channel'
  | 'cause'
  | 'member'
  | 'service_account'
  | 'project'
  | 'tag'
> &
  TimeRange;

const LIVE_MILLISECONDS = 2000;

/** The filter as query parameters of the API. */
export function filterQuery(filter: LogFilter, admin: boolean) {
  return {
    type: filter.type ?? 0,
    token_name: filter.token,
    model_name: filter.model,
    group: filter.group,
    request_id: filter.request,
    cause: filter.cause,
    start_timestamp: filter.from,
    end_timestamp: filter.to,
    ...holderQuery(filter),
    tag: filter.tag,
    ...(admin ? { username: filter.user, channel: filter.channel } : {}),
  };
}

const refetch = (live: boolean) => ({ refetchInterval: live ? LIVE_MILLISECONDS : (false as const) });

export const logQueries = {
  list: (admin: boolean, filter: LogFilter, { page, pageSize }: GridQuery, live: boolean) =>
    queryOptions({
      queryKey: ['logs', 'list', admin, filter, page, pageSize],
      queryFn: ({ signal }) => {
        const query = { ...filterQuery(filter, admin), p: page, page_size: pageSize };
        return admin ? api.logs.list({ query, signal }) : api.logs.listSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      ...refetch(live),
    }),
  /** Whether there are rows before the shown range. */
  earlier: (admin: boolean) =>
    queryOptions({
      queryKey: ['logs', 'earlier', admin],
      queryFn: async ({ signal }) => {
        const query = { page_size: 1 };
        const page = admin
          ? await api.logs.list({ query, signal })
          : await api.logs.listSelf({ query, signal });
        return page.items.length > 0;
      },
    }),
  stat: (admin: boolean, filter: LogFilter, live: boolean) =>
    queryOptions({
      queryKey: ['logs', 'stat', admin, filter],
      queryFn: ({ signal }) => {
        const query = filterQuery(filter, admin);
        return admin ? api.logs.stat({ query, signal }) : api.logs.statSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      ...refetch(live),
    }),
  histogram: (admin: boolean, filter: LogFilter, live: boolean) =>
    queryOptions({
      queryKey: ['logs', 'histogram', admin, filter],
      queryFn: ({ signal }) => {
        const query = filterQuery(filter, admin);
        return admin ? api.logs.histogram({ query, signal }) : api.logs.histogramSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      ...refetch(live),
    }),
  facets: (admin: boolean, { from, to }: TimeRange) =>
    queryOptions({
      queryKey: ['logs', 'facets', admin, from, to],
      queryFn: ({ signal }) => {
        const query = { start_timestamp: from, end_timestamp: to };
        return admin ? api.logs.facets({ query, signal }) : api.logs.facetsSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  user: (id: number) =>
    queryOptions({
      queryKey: ['logs', 'user', id],
      queryFn: ({ signal }) => api.users.read({ params: { id }, signal }),
      retry: false,
    }),
};
