/** Queries of announcements and questions. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const ANNOUNCEMENTS_KEY = ['announcements'] as const;
export const FAQ_KEY = ['faq'] as const;

const FRESH_MILLISECONDS = 60_000;

export const announcementQueries = {
  /** Those whose time it is. `isSignedIn`: a sign-in changes the list. */
  shown: (isSignedIn: boolean) =>
    queryOptions({
      queryKey: [...ANNOUNCEMENTS_KEY, 'shown', isSignedIn],
      queryFn: ({ signal }) => api.announcements.list({ signal }),
      staleTime: FRESH_MILLISECONDS,
      // An open page shows an announcement whose time has come.
      refetchInterval: 5 * FRESH_MILLISECONDS,
      meta: { silent: true },
    }),
  all: () =>
    queryOptions({
      queryKey: [...ANNOUNCEMENTS_KEY, 'all'],
      queryFn: ({ signal }) => api.announcements.all({ signal }),
    }),
  faq: () =>
    queryOptions({
      queryKey: FAQ_KEY,
      queryFn: ({ signal }) => api.faq.list({ signal }),
      staleTime: FRESH_MILLISECONDS,
    }),
};
