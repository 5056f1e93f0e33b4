// Asynchronous tasks besides drawings in the console: music, videos, batches. Times are seconds, as existing API clients expect here.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { USAGE_READING } from '#contract/admin/organization-rights.ts';
import { listCounts, pageFromZero } from '#contract/lists.ts';
import { taskPages } from '#contract/admin/task-page.ts';
import { taskView } from './task-view.ts';

export { taskAsked, taskBatch, taskPart, taskView } from './task-view.ts';
export type { TaskAsked, TaskBatch, TaskPart, TaskView } from './task-view.ts';

export const TASK_STATUSES = [
  'SUCCESS',
  'NOT_START',
  'SUBMITTED',
  'IN_PROGRESS',
  'FAILURE',
  'QUEUED',
  'UNKNOWN',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const isTaskStatus = (value: unknown): value is TaskStatus =>
  TASK_STATUSES.some((status) => status === value);

export const VIDEO_ACTIONS = ['TEXT_TO_VIDEO', 'IMAGE_TO_VIDEO', 'REMIX'] as const;
export const TASK_ACTIONS = ['MUSIC', 'LYRICS', ...VIDEO_ACTIONS, 'BATCH'] as const;
export const TASK_PLATFORMS = ['suno', 'video', 'openai-batch', 'anthropic-batch'] as const;

/** The models a token is limited to and a price is set for. */
export const MUSIC_MODELS = { music: 'suno_music', lyrics: 'suno_lyrics' } as const;

const blankIsNone = (value: unknown) => (value === '' || value === '0' || value === 0 ? undefined : value);
const seconds = z.preprocess(blankIsNone, z.coerce.number().int().min(0).max(253_402_300_799).optional());

export const taskFilter = z.object({
  task_id: z.string().trim().max(255).default(''),
  platform: z.preprocess(blankIsNone, z.enum(TASK_PLATFORMS).optional()),
  action: z.preprocess(blankIsNone, z.enum(TASK_ACTIONS).optional()),
  status: z.preprocess(blankIsNone, z.enum(TASK_STATUSES).optional()),
  start_timestamp: seconds,
  end_timestamp: seconds,
});
export const adminTaskFilter = taskFilter.extend({
  channel_id: z.preprocess(blankIsNone, z.coerce.number().int().positive().optional()),
});
export type TaskFilter = z.output<typeof taskFilter>;
export type AdminTaskFilter = z.output<typeof adminTaskFilter>;

export const tasks = {
  list: endpoint({
    method: 'GET',
    path: '/api/task/',
    access: 'admin',
    summary: { zh: '所有用户的异步任务', en: 'Asynchronous tasks of all users' },
    query: pageFromZero.extend(adminTaskFilter.shape),
    returns: z.array(taskView),
    extra: listCounts,
  }),
  listSelf: endpoint({
    method: 'GET',
    path: '/api/task/self',
    access: 'user',
    organization: USAGE_READING,
    summary: { zh: '自己的异步任务', en: 'Your own asynchronous tasks' },
    query: pageFromZero.extend(taskFilter.shape),
    returns: z.array(taskView),
    extra: listCounts,
  }),
  ...taskPages,
};
