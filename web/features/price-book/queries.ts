/** Queries of the price book. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';

export const PRICES_KEY = ['price-book'] as const;

const pageOf = ({ page, pageSize }: GridQuery) => ({ p: page, page_size: pageSize });

export const priceQueries = {
  models: () =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'models'],
      queryFn: ({ signal }) => api.priceBook.models({ signal }),
    }),
  /** Facts of the sheet: built-in prices and recent usage. */
  sheetModels: () =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'sheet'],
      queryFn: ({ signal }) => api.options.models({ signal }),
    }),
  /** Of the last 30 days, for the margins beside the sheet. */
  margins: () =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'margins'],
      queryFn: ({ signal }) => api.margins.report({ query: { by: 'model' }, signal }),
    }),
  versions: (query: GridQuery) =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'versions', query],
      queryFn: ({ signal }) => api.priceBook.versions({ query: pageOf(query), signal }),
      placeholderData: keepPreviousData,
    }),
  version: (id: number) =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'version', id],
      queryFn: ({ signal }) => api.priceBook.version({ params: { id }, signal }),
    }),
  drafts: (query: GridQuery) =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'drafts', query],
      queryFn: ({ signal }) => api.priceBook.drafts({ query: pageOf(query), signal }),
      placeholderData: keepPreviousData,
    }),
  /** The number of the newest draft that can be edited; 0: there is none. */
  openDraft: () =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'open-draft'],
      queryFn: async ({ signal }) => {
        const { items } = await api.priceBook.drafts({ query: { p: 1, page_size: 100 }, signal });
        return items.find(({ status }) => status === 'draft')?.id ?? 0;
      },
      // Asked once for each visit: what is being typed must not move to a draft that somebody else makes meanwhile.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  /** The running version with its prices. */
  running: () =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'running'],
      queryFn: async ({ signal }) => {
        const { items } = await api.priceBook.versions({ query: { p: 1, page_size: 1 }, signal });
        return await api.priceBook.version({ params: { id: items[0]?.id ?? 0 }, signal });
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  draft: (id: number) =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'draft', id],
      queryFn: ({ signal }) => api.priceBook.draft({ params: { id }, signal }),
    }),
  proposals: (query: GridQuery) =>
    queryOptions({
      queryKey: [...PRICES_KEY, 'proposals', query],
      queryFn: ({ signal }) =>
        api.priceBook.proposals({ query: { ...pageOf(query), status: 'open' }, signal }),
      placeholderData: keepPreviousData,
    }),
};
