/** What the playground asks: the groups of the user, and the price list, which also says which group has which model. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

export const groupsQuery = queryOptions({
  queryKey: ['self-groups'],
  queryFn: ({ signal }) => api.users.selfGroups({ signal }),
  staleTime: 60_000,
});

export const pricingQuery = (userId: number) =>
  queryOptions({
    queryKey: ['pricing', userId],
    queryFn: ({ signal }) => api.pricing.list({ signal }),
    staleTime: 60_000,
  });
