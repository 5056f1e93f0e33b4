/** The price list. It depends on who asks, so it is kept by user. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const pricingQuery = (userId: number | undefined) =>
  queryOptions({
    queryKey: ['pricing', userId ?? 0],
    queryFn: ({ signal }) => api.pricing.list({ signal }),
    staleTime: 60_000,
  });

export type PriceList = Awaited<ReturnType<typeof api.pricing.list>>;
