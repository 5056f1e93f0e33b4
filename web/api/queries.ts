/** Queries that several features use: the signed-in account and the operator's content. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => api.users.self({ signal }),
  staleTime: 30_000,
});

export const noticeQuery = queryOptions({
  queryKey: ['site', 'notice'],
  queryFn: ({ signal }) => api.site.notice({ signal }),
  staleTime: 5 * 60_000,
});

export const aboutQuery = queryOptions({
  queryKey: ['site', 'about'],
  queryFn: ({ signal }) => api.site.about({ signal }),
  staleTime: 5 * 60_000,
});

/** What needs the reader: one list for the overview, the counts in the menu and the strip of operators. */
export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => api.attention.list({ signal }),
  staleTime: 30_000,
  refetchInterval: 60_000,
});

/** For the super admin only. */
export const firstRunQuery = queryOptions({
  queryKey: ['first-run'],
  queryFn: ({ signal }) => api.firstRun.read({ query: { origin: window.location.origin }, signal }),
  staleTime: 10_000,
});
