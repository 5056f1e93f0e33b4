// A task besides drawings as the console shows it. Times are seconds, as existing API clients expect here.
import { z } from 'zod';

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
