/** Queries that several features use: the signed-in account and the operator's content. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { updateScope } from './scope.ts';
import { storedAccount } from './session.ts';

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => api.users.self({ signal }),
  staleTime: 30_000,
});

/** The balance of the account that the reader acts for. */
export const balanceQuery = queryOptions({
  queryKey: ['wallet', 'overview'],
  queryFn: ({ signal }) => api.wallet.overview({ signal }),
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

/** Those that the reader belongs to. */
export const ownOrganizationsQuery = queryOptions({
  queryKey: ['organizations', 'mine'],
  queryFn: ({ signal }) => api.organizations.mine({ signal }),
  staleTime: 60_000,
});

/** The one that the reader acts for. */
export const organizationQuery = queryOptions({
  queryKey: ['organizations', 'current'],
  queryFn: async ({ signal }) => {
    const view = await api.organizations.read({ signal });
    const { id, name, role, suspended, group } = view;
    const account = storedAccount();
    if (account !== undefined) updateScope({ id, name, role, suspended, group }, account.id);
    return view;
  },
  staleTime: 30_000,
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
