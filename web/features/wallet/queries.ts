/** Queries of the wallet. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const WALLET_KEY = ['wallet'] as const;
const HISTORY_ROWS = 10;

export const walletQueries = {
  overview: () =>
    queryOptions({
      queryKey: [...WALLET_KEY, 'overview'],
      queryFn: ({ signal }) => api.wallet.overview({ signal }),
    }),
  history: () =>
    infiniteQueryOptions({
      queryKey: [...WALLET_KEY, 'history'],
      queryFn: ({ pageParam, signal }) =>
        api.wallet.history({ query: { p: pageParam, page_size: HISTORY_ROWS }, signal }),
      initialPageParam: 1,
      getNextPageParam: ({ page, page_size, total }) => (page * page_size < total ? page + 1 : undefined),
    }),
};
