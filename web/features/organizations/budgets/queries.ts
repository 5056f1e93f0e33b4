/** Queries of the budgets of an organization. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';

export const BUDGETS_KEY = [...ORGANIZATIONS_KEY, 'budgets'] as const;
const KEYS_OFFERED = 50;

export const budgetQueries = {
  list: () =>
    queryOptions({
      queryKey: [...BUDGETS_KEY, 'list'],
      queryFn: ({ signal }) => api.budgets.list({ signal }),
    }),
  requests: () =>
    queryOptions({
      queryKey: [...BUDGETS_KEY, 'requests'],
      queryFn: ({ signal }) => api.budgets.requests({ signal }),
    }),
  tagKeys: () =>
    queryOptions({
      queryKey: [...BUDGETS_KEY, 'tags'],
      queryFn: ({ signal }) => api.budgets.tagKeys({ signal }),
    }),
  /** API keys by name or key. */
  keys: (keyword: string) =>
    queryOptions({
      queryKey: [...ORGANIZATIONS_KEY, 'keys', keyword],
      queryFn: async ({ signal }) => {
        const query = { size: KEYS_OFFERED };
        const { data } =
          keyword === ''
            ? await api.tokens.list({ query, signal })
            : await api.tokens.search({ query: { ...query, either: keyword }, signal });
        return data.map(({ id, name }) => ({ id, name }));
      },
      placeholderData: keepPreviousData,
      staleTime: 30_000,
    }),
};
