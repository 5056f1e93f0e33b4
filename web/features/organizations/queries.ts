/** Queries of the pages of an organization. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { UsageGroup } from '#contract/admin/dashboard.ts';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';

export interface UsageSpan {
  from: number;
  to: number;
}

export const organizationQueries = {
  members: ({ q, role }: { q?: string; role?: OrganizationRole }, { page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'members', q, role, page, pageSize],
      queryFn: ({ signal }) =>
        api.members.list({ query: { keyword: q, role, p: page, page_size: pageSize }, signal }),
      placeholderData: keepPreviousData,
    }),
  invitations: (page: number, pageSize: number) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'invitations', page, pageSize],
      queryFn: ({ signal }) => api.invitations.list({ query: { p: page, page_size: pageSize }, signal }),
      placeholderData: keepPreviousData,
    }),
  openInvitations: () =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'invitations', 'open'],
      queryFn: ({ signal }) => api.invitations.list({ query: { state: 'open', page_size: 1 }, signal }),
    }),
  groups: ({ from, to }: UsageSpan, by: UsageGroup, tag: string) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'groups', by, tag, from, to],
      queryFn: ({ signal }) =>
        api.dashboard.groups({ query: { start_timestamp: from, end_timestamp: to, by, tag }, signal }),
      staleTime: 60_000,
    }),
  tagKeys: () =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'budgets', 'tags'],
      queryFn: ({ signal }) => api.budgets.tagKeys({ signal }),
      staleTime: 60_000,
    }),
  usage: ({ from, to }: UsageSpan) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'usage', from, to],
      queryFn: ({ signal }) =>
        api.dashboard.self({ query: { start_timestamp: from, end_timestamp: to }, signal }),
      staleTime: 60_000,
    }),
  /** How many keys there are. */
  tokens: () =>
    queryOptions({
      queryKey: ['tokens', 'count'],
      queryFn: async ({ signal }) => {
        const { total, usable } = await api.tokens.list({ query: { size: 1 }, signal });
        return { total, usable };
      },
      staleTime: 30_000,
    }),
  /** Invitations and offers to the reader. */
  received: () =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'received'],
      queryFn: ({ signal }) => api.invitations.mine({ signal }),
    }),
  byToken: (token: string) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'invitation', token],
      queryFn: ({ signal }) => api.invitations.readByToken({ body: { token }, signal }),
      retry: false,
    }),
};
