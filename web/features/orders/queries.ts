/** Queries of the orders page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { OrderSearch } from './search.ts';

const RANGE_SECONDS = { day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

export type OrderFilter = Pick<OrderSearch, 'q' | 'status' | 'provider' | 'range'>;

export const ORDERS_KEY = ['orders'] as const;

export const orderQueries = {
  list: ({ q, status, provider, range }: OrderFilter, { page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: [...ORDERS_KEY, 'list', q, status, provider, range, page, pageSize],
      queryFn: ({ signal }) =>
        api.orders.list({
          query: {
            p: page,
            page_size: pageSize,
            status,
            provider,
            keyword: q,
            start_timestamp: range && unixSeconds() - RANGE_SECONDS[range],
          },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  page: (id: number) =>
    queryOptions({
      queryKey: [...ORDERS_KEY, 'page', id],
      queryFn: ({ signal }) => api.orders.page({ params: { id }, signal }),
    }),
};
