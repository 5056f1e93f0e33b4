/** Queries of the re-rating page. A run that is rated or booked is read again every few seconds. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RerateState } from '#contract/money/rerating.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';

export const RERATING_KEY = ['rerating'] as const;

const REFRESH_MILLISECONDS = 2000;

const isMoving = (state: RerateState) => state === 'rating' || state === 'applying';
const every = (moving: boolean) => (moving ? REFRESH_MILLISECONDS : false);

export const reratingQueries = {
  list: ({ page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: [...RERATING_KEY, 'list', page, pageSize],
      queryFn: ({ signal }) => api.rerating.list({ query: { p: page, page_size: pageSize }, signal }),
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => every(state.data?.items.some((run) => isMoving(run.state)) === true),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...RERATING_KEY, 'one', id],
      queryFn: ({ signal }) => api.rerating.read({ params: { id }, signal }),
      refetchInterval: ({ state }) => every(state.data !== undefined && isMoving(state.data.state)),
    }),
  versions: () =>
    queryOptions({
      queryKey: [...RERATING_KEY, 'versions'],
      queryFn: ({ signal }) => api.rerating.versions({ signal }),
    }),
};
