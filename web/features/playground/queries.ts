/** Queries of the playground: the groups of the user, and the price list with the models of each group. */
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
