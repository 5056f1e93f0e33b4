/** Derived values of a drawing or another task: its time range on the page, its duration, its state and its names. */
import {
  DRAWING_ACTIONS,
  DRAWING_STATUSES,
  isFinished,
  SUBMIT_CODE,
  type DrawingStatus,
  type DrawingView,
} from '#contract/relay/drawing.ts';
import {
  isTaskStatus,
  TASK_ACTIONS,
  TASK_PLATFORMS,
  type TaskStatus,
  type TaskView,
} from '#contract/relay/tasks.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import type { AgainRequest } from '#web/ui/media/again.ts';
import type { StatusKind } from '#web/ui/badge/status.tsx';
import { midnight, type TimeRange } from '#web/ui/range/time-range.ts';
import type { TaskSearch } from './search.ts';

export const MIDJOURNEY = 'midjourney';

/** What drawings and other tasks have in common. Times are seconds. */
export type TaskRow = Pick<TaskView, (keyof TaskView & keyof DrawingView) | 'platform' | 'task_id'>;

export const MILLISECONDS = 1000;

/** A drawing as a task: its times become seconds. */
export const drawingRow = (view: DrawingView) => ({
  ...view,
  platform: MIDJOURNEY,
  task_id: view.mj_id,
  status: DRAWING_STATUSES.find((status) => status === view.status) ?? 'UNKNOWN',
  submit_time: view.submit_time / MILLISECONDS,
  finish_time: view.finish_time / MILLISECONDS,
});
export type DrawingRow = ReturnType<typeof drawingRow>;

export type PageName = 'drawing' | 'tasks';

/** The range of a page without a choice. */
const STANDARD_RANGE = { drawing: 'month', tasks: 'today' } as const;
const AHEAD_SECONDS = 3600;

/** Up to an hour ahead, from the beginning of the named range, unless the URL has a range. */
export function taskRange(
  search: Pick<TaskSearch, 'from' | 'to' | 'range'>,
  page: PageName,
  now: number,
): TimeRange {
  const end = now + AHEAD_SECONDS;
  const start = {
    today: midnight(now),
    week: now - 7 * DAY_SECONDS,
    month: now - 30 * DAY_SECONDS,
  };
  if (search.range !== undefined) return { from: start[search.range], to: end };
  return { from: search.from ?? start[STANDARD_RANGE[page]], to: search.to ?? end };
}

/** Seconds from the submission to the end, exact to the millisecond; undefined while it runs. */
export const durationOf = ({ submit_time, finish_time }: TaskRow): number | undefined =>
  finish_time > 0 ? Math.max(0, Math.round((finish_time - submit_time) * 1000) / 1000) : undefined;

export const isRunning = ({ status }: Pick<TaskRow, 'status'>): boolean => !isFinished(status);

const KINDS: Record<TaskStatus | DrawingStatus, StatusKind> = {
  SUCCESS: 'enabled',
  NOT_START: 'disabled',
  SUBMITTED: 'queued',
  IN_PROGRESS: 'running',
  FAILURE: 'failed',
  QUEUED: 'queued',
  MODAL: 'restricted',
  UNKNOWN: 'disabled',
};

type StatusName = keyof typeof KINDS | 'SUBMITTING' | 'WAITING';

/** The name of a status in the messages. A submitted drawing waits in the queue of its upstream. */
export const statusName = (status: keyof typeof KINDS, isDrawing: boolean): StatusName =>
  isDrawing && status === 'SUBMITTED' ? 'WAITING' : status;

export function statusOf({ platform, status }: Pick<TaskRow, 'platform' | 'status'>): {
  name: StatusName;
  kind: StatusKind;
} {
  if (status === '') return { name: 'SUBMITTING', kind: 'queued' };
  const isDrawing = platform === MIDJOURNEY;
  const known = isTaskStatus(status) || (isDrawing && status === 'MODAL') ? status : 'UNKNOWN';
  return { name: statusName(known, isDrawing), kind: KINDS[known] };
}

export const actionOf = ({ platform, action }: Pick<TaskRow, 'platform' | 'action'>) =>
  (platform === MIDJOURNEY ? DRAWING_ACTIONS : TASK_ACTIONS).find((each) => each === action) ?? 'UNKNOWN';

export const platformOf = ({ platform }: Pick<TaskRow, 'platform'>) =>
  TASK_PLATFORMS.find((each) => each === platform) ?? 'UNKNOWN';

export type CodeName = keyof typeof SUBMIT_CODE | 'refused';

export function codeName(code: number): CodeName {
  const known = Object.entries(SUBMIT_CODE).find(([, value]) => value === code);
  return known ? (known[0] as keyof typeof SUBMIT_CODE) : 'refused';
}

/** What the playground needs to send the task once more; undefined for a task that it cannot send. */
export function againOf({ platform, model, asked }: TaskView): AgainRequest | undefined {
  if (asked === null) return undefined;
  const { image_urls, ...request } = asked;
  const kind = platform === 'suno' ? 'music' : 'video';
  return { kind, model, ...request, pictureUrls: image_urls.join(' ') };
}
