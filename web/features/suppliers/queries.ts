/** What the suppliers' pages read. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ThingWindow } from '#contract/thing-window.ts';
import { api } from '#web/api.ts';

export const SUPPLIERS_KEY = ['suppliers'] as const;

export const supplierQueries = {
  list: () =>
    queryOptions({
      queryKey: [...SUPPLIERS_KEY, 'list'],
      queryFn: ({ signal }) => api.suppliers.list({ signal }),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...SUPPLIERS_KEY, 'one', id],
      queryFn: ({ signal }) => api.suppliers.read({ params: { id }, signal }),
    }),
  page: (id: number, window: ThingWindow) =>
    queryOptions({
      queryKey: [...SUPPLIERS_KEY, 'page', id, window],
      queryFn: ({ signal }) => api.supplierPages.read({ params: { id }, query: { window }, signal }),
      placeholderData: keepPreviousData,
      refetchInterval: 60_000,
    }),
  bills: () =>
    queryOptions({
      queryKey: [...SUPPLIERS_KEY, 'bills'],
      queryFn: ({ signal }) => api.suppliers.bills({ signal }),
    }),
  bill: (id: number) =>
    queryOptions({
      queryKey: [...SUPPLIERS_KEY, 'bill', id],
      queryFn: ({ signal }) => api.suppliers.bill({ params: { id }, signal }),
    }),
};
