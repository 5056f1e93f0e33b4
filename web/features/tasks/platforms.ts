/** The two pages by what differs between them: addresses, times, filters. Administrators read all rows, users their own. */
import {
  DRAWING_ACTIONS,
  DRAWING_STATUSES,
  type DrawingAction,
  type DrawingStatus,
} from '#contract/relay/drawing.ts';
import { TASK_ACTIONS, TASK_STATUSES, type TaskStatus, type TaskView } from '#contract/relay/tasks.ts';
import { api } from '#web/api.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import type { RangeName, TaskSearch } from './search.ts';
import { drawingRow, MILLISECONDS, type DrawingRow, type PageName, type TaskRow } from './state.ts';

export type TaskFilter = Pick<TaskSearch, 'id' | 'action' | 'status' | 'channel'> & TimeRange;

interface Load {
  admin: boolean;
  filter: TaskFilter;
  /** The page of the list, from 0, and its size. */
  paging: { p: number; page_size: number };
  signal: AbortSignal;
}

export interface Platform<Row extends TaskRow> {
  /** Names the words, the kept columns and the queries of the page. */
  name: PageName;
  actions: readonly (DrawingAction | (typeof TASK_ACTIONS)[number])[];
  statuses: readonly (DrawingStatus | TaskStatus)[];
  ranges: readonly RangeName[];
  /** The search parameter of the open row. */
  opened: 'picture' | 'open';
  load: (load: Load) => Promise<{ data: Row[]; total: number }>;
}

export const DRAWINGS: Platform<DrawingRow> = {
  name: 'drawing',
  actions: DRAWING_ACTIONS,
  statuses: DRAWING_STATUSES,
  ranges: ['today', 'week'],
  opened: 'picture',
  async load({ admin, filter, paging, signal }) {
    const query = {
      ...paging,
      mj_id: filter.id,
      action: DRAWING_ACTIONS.find((action) => action === filter.action),
      status: DRAWING_STATUSES.find((status) => status === filter.status),
      start_timestamp: filter.from * MILLISECONDS,
      end_timestamp: filter.to * MILLISECONDS,
    };
    const { data, total } = admin
      ? await api.drawing.list({ query: { ...query, channel_id: filter.channel }, signal })
      : await api.drawing.listSelf({ query, signal });
    return { data: data.map(drawingRow), total };
  },
};

export const TASKS: Platform<TaskView> = {
  name: 'tasks',
  actions: TASK_ACTIONS,
  statuses: TASK_STATUSES,
  ranges: ['week', 'month'],
  opened: 'open',
  load({ admin, filter, paging, signal }) {
    const query = {
      ...paging,
      task_id: filter.id,
      action: TASK_ACTIONS.find((action) => action === filter.action),
      status: TASK_STATUSES.find((status) => status === filter.status),
      start_timestamp: filter.from,
      end_timestamp: filter.to,
    };
    return admin
      ? api.tasks.list({ query: { ...query, channel_id: filter.channel }, signal })
      : api.tasks.listSelf({ query, signal });
  },
};
