/** The price list. It depends on the user, so the user id is part of the key. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const pricingQuery = (userId: number | undefined) =>
  queryOptions({
    queryKey: ['pricing', userId ?? 0],
    queryFn: ({ signal }) => api.pricing.list({ signal }),
    staleTime: 60_000,
  });

export type PriceList = Awaited<ReturnType<typeof api.pricing.list>>;
