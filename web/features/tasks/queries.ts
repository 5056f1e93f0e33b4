/** Queries of the task page. Administrators read all tasks, users their own. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { TASK_ACTIONS, TASK_STATUSES, type TaskView } from '#contract/relay/tasks.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import type { TaskSearch } from './search.ts';
import { isRunning } from './state.ts';

export type TaskFilter = Pick<TaskSearch, 'id' | 'action' | 'status' | 'channel'> & TimeRange;

const RUNNING_MILLISECONDS = 5000;

/** A page with unfinished tasks is polled. */
const untilFinished = (rows: readonly TaskView[] | undefined) =>
  rows?.some(isRunning) ? RUNNING_MILLISECONDS : (false as const);

export const taskQueries = {
  list: (admin: boolean, filter: TaskFilter, { page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: ['tasks', admin, filter, page, pageSize],
      queryFn: ({ signal }) => {
        const query = {
          task_id: filter.id,
          action: TASK_ACTIONS.find((action) => action === filter.action),
          status: TASK_STATUSES.find((status) => status === filter.status),
          start_timestamp: filter.from,
          end_timestamp: filter.to,
          p: page - 1,
          page_size: pageSize,
        };
        return admin
          ? api.tasks.list({ query: { ...query, channel_id: filter.channel }, signal })
          : api.tasks.listSelf({ query, signal });
      },
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => untilFinished(state.data?.data),
    }),
};
