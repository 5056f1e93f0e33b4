// Asynchronous tasks besides drawings in the console: music, videos, batches. Times are seconds, as existing API clients expect here.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { listCounts, pageFromZero } from '#contract/lists.ts';

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

/** One part of a result: a song with its cover, a video, or a text. */
export const taskPart = z.object({
  title: z.string(),
  text: z.string(),
  tags: z.string(),
  audio_url: z.string(),
  video_url: z.string(),
  image_url: z.string(),
  /** Seconds; 0 when unknown. */
  duration: z.number(),
});
export type TaskPart = z.output<typeof taskPart>;

/** What the caller asked for, as far as the playground can send it again. Blank, 0 or none: not said. */
export const taskAsked = z.object({
  prompt: z.string(),
  title: z.string(),
  tags: z.string(),
  size: z.string(),
  seconds: z.number(),
  /** Pictures that were given by their addresses. */
  image_urls: z.array(z.string()),
});
export type TaskAsked = z.output<typeof taskAsked>;

/** How far a batch is. */
export const taskBatch = z.object({
  /** The upstream's word, such as `finalizing`. */
  state: z.string(),
  total: z.number(),
  answered: z.number(),
  failed: z.number(),
});
export type TaskBatch = z.output<typeof taskBatch>;

export const taskView = z.object({
  id: z.number(),
  user_id: z.number(),
  /** Blank for users, who see only their own. */
  username: z.string(),
  /** 0 for users. */
  channel_id: z.number(),
  /** Blank for users, and for a channel that is gone. */
  channel_name: z.string(),
  platform: z.string(),
  action: z.string(),
  model: z.string(),
  task_id: z.string(),
  prompt: z.string(),
  submit_time: z.number(),
  start_time: z.number(),
  /** 0 while it runs. */
  finish_time: z.number(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  parts: z.array(taskPart),
  /** Null for tasks that the playground cannot send. */
  asked: taskAsked.nullable(),
  /** Null for every other task. */
  batch: taskBatch.nullable(),
  /** Charged, or held while `held` is true; 0 after a failure that was not charged. */
  quota: z.number(),
  /** The task has not ended: `quota` is reserved for it and not charged. */
  held: z.boolean(),
});
export type TaskView = z.output<typeof taskView>;

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
    summary: { zh: '自己的异步任务', en: 'Your own asynchronous tasks' },
    query: pageFromZero.extend(taskFilter.shape),
    returns: z.array(taskView),
    extra: listCounts,
  }),
};
