/** Queries of the wallet. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { PaymentMethodName } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { balanceQuery } from '#web/api/queries.ts';

export const WALLET_KEY = ['wallet'] as const;
const HISTORY_ROWS = 10;
const WAITING_MILLISECONDS = 3000;

export const walletQueries = {
  overview: () => balanceQuery,
  topUpInfo: () =>
    queryOptions({
      queryKey: [...WALLET_KEY, 'top-up'],
      queryFn: ({ signal }) => api.orders.info({ signal }),
    }),
  price: (body: { amount: number; payment_method: PaymentMethodName; top_up_code: string }) =>
    queryOptions({
      queryKey: ['top-up-price', body],
      queryFn: ({ signal }) => api.orders.amount({ body, signal }),
      meta: { silent: true },
      retry: false,
    }),
  order: (tradeNo: string) =>
    queryOptions({
      queryKey: ['order', tradeNo],
      queryFn: ({ signal }) => api.orders.ownOne({ params: { trade_no: tradeNo }, signal }),
      // A payment ends on the provider's page: this page asks until it has.
      refetchInterval: ({ state }) =>
        state.data?.status === 'pending' || !state.data ? WAITING_MILLISECONDS : false,
    }),
  checkIn: () =>
    queryOptions({
      queryKey: [...WALLET_KEY, 'check-in'],
      queryFn: ({ signal }) => api.checkIn.calendar({ query: {}, signal }),
    }),
  /** Without a user: the reader's own. */
  statement: (month: string, user: number | undefined) =>
    queryOptions({
      queryKey: [...WALLET_KEY, 'statement', month, user],
      queryFn: ({ signal }) =>
        user === undefined
          ? api.statements.own({ query: { month }, signal })
          : api.statements.ofUser({ params: { id: user }, query: { month }, signal }),
    }),
  /** By the order's id for administrators, by its number for the payer. */
  receipt: ({ id, order = '' }: { id?: number | undefined; order?: string | undefined }) =>
    queryOptions({
      queryKey: [...WALLET_KEY, 'receipt', id, order],
      queryFn: ({ signal }) =>
        id === undefined
          ? api.receipts.own({ params: { trade_no: order }, signal })
          : api.receipts.read({ params: { id }, signal }),
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
