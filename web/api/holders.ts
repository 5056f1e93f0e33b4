/** Whose a key or a call of an organization is: members, service accounts and projects, for choices, filters and columns. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import { api } from '#web/api.ts';

/** Of all pages of an organization; a change of one of them reads all again. */
export const ORGANIZATIONS_KEY = ['organizations'] as const;

export const holderQueries = {
  /** The first ones; a keyword finds the others. */
  members: (keyword = '') =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'candidates', keyword],
      queryFn: ({ signal }) => api.members.list({ query: { keyword, page_size: MAX_PAGE_SIZE }, signal }),
      placeholderData: keepPreviousData,
      staleTime: 30_000,
    }),
  projects: () =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'projects'],
      queryFn: ({ signal }) => api.projects.list({ signal }),
      staleTime: 30_000,
    }),
  serviceAccounts: () =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'service-accounts'],
      queryFn: ({ signal }) => api.serviceAccounts.list({ signal }),
      staleTime: 30_000,
    }),
};
