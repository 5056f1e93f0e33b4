/** Queries of the personal tab, besides the account itself. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const SECURITY_KEY = ['self-security'] as const;
export const SESSIONS_KEY = ['self-sessions'] as const;
export const ADMIN_KEYS_KEY = ['self-admin-keys'] as const;

export const personalQueries = {
  security: () =>
    queryOptions({ queryKey: SECURITY_KEY, queryFn: ({ signal }) => api.security.overview({ signal }) }),
  sessions: () =>
    queryOptions({ queryKey: SESSIONS_KEY, queryFn: ({ signal }) => api.security.sessions({ signal }) }),
  adminKeys: () =>
    queryOptions({ queryKey: ADMIN_KEYS_KEY, queryFn: ({ signal }) => api.adminKeys.list({ signal }) }),
  inviteCode: () =>
    queryOptions({
      queryKey: ['self-invite-code'],
      queryFn: ({ signal }) => api.self.inviteCode({ signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  groups: () =>
    queryOptions({
      queryKey: ['self-groups'],
      queryFn: ({ signal }) => api.users.selfGroups({ signal }),
      staleTime: 60_000,
    }),
  models: () =>
    queryOptions({
      queryKey: ['self-models'],
      queryFn: ({ signal }) => api.users.models({ signal }),
      staleTime: 60_000,
    }),
};
