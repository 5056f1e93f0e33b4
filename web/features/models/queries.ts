/** Queries of the models. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ThingWindow } from '#contract/thing-window.ts';
import { api } from '#web/api.ts';

const KEY = ['models'] as const;
const PAGE_MILLISECONDS = 60_000;

export const modelQueries = {
  list: () =>
    queryOptions({
      queryKey: [...KEY, 'list'],
      queryFn: ({ signal }) => api.modelPages.list({ signal }),
    }),
  page: (name: string, window: ThingWindow) =>
    queryOptions({
      queryKey: [...KEY, 'page', name, window],
      queryFn: ({ signal }) => api.modelPages.read({ query: { name, window }, signal }),
      placeholderData: keepPreviousData,
      refetchInterval: PAGE_MILLISECONDS,
    }),
};
