/** Derived values of a task: its time range on the page, its state and its names. */
import { isFinished } from '#contract/relay/drawing.ts';
import {
  isTaskStatus,
  TASK_ACTIONS,
  TASK_PLATFORMS,
  type TaskStatus,
  type TaskView,
} from '#contract/relay/tasks.ts';
import type { AgainRequest } from '#web/ui/media/again.ts';
import type { StatusKind } from '#web/ui/badge/status.tsx';
import { midnight, type TimeRange } from '#web/ui/range/time-range.ts';
import type { TaskSearch } from './search.ts';

const DAY_SECONDS = 86_400;
const AHEAD_SECONDS = 3600;

/** From today's midnight, unless the URL has a range. */
export function taskRange(search: Pick<TaskSearch, 'from' | 'to' | 'range'>, now: number): TimeRange {
  const { from, to, range } = search;
  const end = now + AHEAD_SECONDS;
  if (range === 'week') return { from: now - 7 * DAY_SECONDS, to: end };
  if (range === 'month') return { from: now - 30 * DAY_SECONDS, to: end };
  return { from: from ?? midnight(now), to: to ?? end };
}

/** Seconds from the submission to the end; undefined while it runs. */
export const durationOf = ({ submit_time, finish_time }: TaskView): number | undefined =>
  finish_time > 0 ? Math.max(0, finish_time - submit_time) : undefined;

export const isRunning = ({ status }: Pick<TaskView, 'status'>): boolean => !isFinished(status);

const KINDS: Record<TaskStatus, StatusKind> = {
  SUCCESS: 'enabled',
  NOT_START: 'disabled',
  SUBMITTED: 'queued',
  IN_PROGRESS: 'running',
  FAILURE: 'failed',
  QUEUED: 'queued',
  UNKNOWN: 'disabled',
};

export function statusOf({ status }: Pick<TaskView, 'status'>): {
  name: TaskStatus | 'SUBMITTING';
  kind: StatusKind;
} {
  if (status === '') return { name: 'SUBMITTING', kind: 'queued' };
  const name = isTaskStatus(status) ? status : 'UNKNOWN';
  return { name, kind: KINDS[name] };
}

export const actionOf = ({ action }: Pick<TaskView, 'action'>) =>
  TASK_ACTIONS.find((each) => each === action) ?? 'UNKNOWN';

export const platformOf = ({ platform }: Pick<TaskView, 'platform'>) =>
  TASK_PLATFORMS.find((each) => each === platform) ?? 'UNKNOWN';

/** What the playground needs to send the task once more; undefined for a task that it cannot send. */
export function againOf({ platform, model, asked }: TaskView): AgainRequest | undefined {
  if (asked === null) return undefined;
  const { image_urls, ...request } = asked;
  const kind = platform === 'suno' ? 'music' : 'video';
  return { kind, model, ...request, pictureUrls: image_urls.join(' ') };
}
