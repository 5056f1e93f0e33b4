/** Queries of the drawing page. Administrators read all drawings, users their own. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { DRAWING_ACTIONS, DRAWING_STATUSES, type DrawingView } from '#contract/relay/drawing.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import type { DrawingSearch } from './search.ts';
import { isRunning } from './state.ts';

export type DrawingFilter = Pick<DrawingSearch, 'id' | 'action' | 'status' | 'channel'> & TimeRange;

const RUNNING_MILLISECONDS = 5000;

export function filterQuery(filter: DrawingFilter, admin: boolean) {
  return {
    mj_id: filter.id,
    action: DRAWING_ACTIONS.find((action) => action === filter.action),
    status: DRAWING_STATUSES.find((status) => status === filter.status),
    start_timestamp: filter.from * 1000,
    end_timestamp: filter.to * 1000,
    ...(admin ? { channel_id: filter.channel } : {}),
  };
}

/** A page with unfinished drawings is polled. */
const untilFinished = (rows: readonly DrawingView[] | undefined) =>
  rows?.some(isRunning) ? RUNNING_MILLISECONDS : (false as const);

export const drawingQueries = {
  list: (admin: boolean, filter: DrawingFilter, { page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: ['drawing', admin, filter, page, pageSize],
      queryFn: ({ signal }) => {
        const query = { ...filterQuery(filter, admin), p: page - 1, page_size: pageSize };
        return admin ? api.drawing.list({ query, signal }) : api.drawing.listSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => untilFinished(state.data?.data),
    }),
};
