/** Queries of plans and subscriptions. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { PlanSearch } from './search.ts';

export const PLANS_KEY = ['plans'] as const;

export const planQueries = {
  offers: () =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'offers'],
      queryFn: ({ signal }) => api.plans.offers({ signal }),
    }),
  own: () =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'own'],
      queryFn: ({ signal }) => api.plans.own({ signal }),
    }),
  manage: () =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'manage'],
      queryFn: ({ signal }) => api.plans.list({ signal }),
    }),
  page: (id: number) =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'page', id],
      queryFn: ({ signal }) => api.plans.page({ params: { id }, signal }),
    }),
  subscriptions: ({ q, state, plan }: Pick<PlanSearch, 'q' | 'state' | 'plan'>, query: GridQuery) =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'subscriptions', q, state, plan, query.page, query.pageSize],
      queryFn: ({ signal }) =>
        api.plans.subscriptions({
          query: { p: query.page, page_size: query.pageSize, keyword: q, state, plan_id: plan },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  /** What models cost, for estimates. */
  prices: () =>
    queryOptions({
      queryKey: [...PLANS_KEY, 'prices'],
      queryFn: ({ signal }) => api.pricing.list({ signal }),
      staleTime: 60_000,
    }),
};
