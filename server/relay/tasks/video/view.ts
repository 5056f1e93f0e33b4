// A video as its callers read it: in OpenAI's API, and in the family's /v1/video/generations.
import type { TaskAsked, TaskPart } from '#contract/relay/tasks.ts';
import { baseOf } from '#server/relay/media/index.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { factsOf } from './facts.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';

/** Callers know a video by the id of its hold: ids of upstreams may repeat between channels. */
export const videoId = ({ hold_id }: Pick<Task, 'hold_id'>): string => `video_${hold_id.replaceAll('-', '')}`;

/** Undefined for what is not an id of a video. */
export function holdOf(id: string): string | undefined {
  const [, ...parts] = /^video_([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(id) ?? [];
  return parts.length === 0 ? undefined : parts.join('-');
}

const STATUSES: Readonly<Record<string, 'in_progress' | 'completed' | 'failed'>> = {
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'completed',
  FAILURE: 'failed',
};

const statusOf = ({ status }: Task) => STATUSES[status] ?? 'queued';
const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000);

function sizeOf(task: Task): string {
  const { size, resolution } = factsOf(task);
  const lines = Number.parseInt(resolution, 10);
  return size || (lines > 0 ? `${Math.round((lines * 16) / 9 / 2) * 2}x${lines}` : '');
}

const errorOf = (task: Task) =>
  task.status === 'FAILURE'
    ? { code: 'video_generation_failed', message: failWords(task.fail_reason) }
    : null;

export function openAiVideo(task: Task) {
  const { seconds, remixedFrom } = factsOf(task);
  return {
    id: videoId(task),
    object: 'video' as const,
    model: task.model,
    status: statusOf(task),
    progress: Number.parseInt(task.progress, 10) || 0,
    created_at: secondsOf(task.submit_ms),
    completed_at: task.status === 'SUCCESS' ? secondsOf(task.finish_ms) : null,
    expires_at: null,
    prompt: task.prompt,
    seconds: String(seconds),
    size: sizeOf(task),
    remixed_from_video_id: remixedFrom === '' ? null : remixedFrom,
    error: errorOf(task),
  };
}

/** Where the caller reads the video; where the upstream has no public address, at a path that asks for the caller's key. */
export function videoAddress({ core, files }: TaskParts, task: Task): string {
  if (task.status !== 'SUCCESS') return '';
  const address = files.addressOf(task, 'video', 0, task.result_url);
  return address || `${baseOf(core.settings.current.ServerAddress)}/v1/videos/${videoId(task)}/content`;
}

export function familyVideo(parts: TaskParts, task: Task) {
  const { seconds } = factsOf(task);
  const [width = 0, height = 0] = sizeOf(task).split('x').map(Number);
  return {
    task_id: videoId(task),
    status: statusOf(task),
    progress: Number.parseInt(task.progress, 10) || 0,
    url: videoAddress(parts, task),
    format: 'mp4',
    metadata: { duration: seconds, width, height },
    error: errorOf(task),
  };
}

/** A remix needs the video that it is made from, which the playground cannot name. */
export function askedVideo(task: Task): TaskAsked | undefined {
  const { seconds, askedSize, pictureUrls, remixedFrom } = factsOf(task);
  if (remixedFrom !== '') return undefined;
  const { prompt } = task;
  return { prompt, title: '', tags: '', size: askedSize, seconds, image_urls: [...pictureUrls] };
}

/** For the console. */
export function videoParts(task: Task): TaskPart[] {
  const { seconds, imageUrl, resolution } = factsOf(task);
  if (task.status !== 'SUCCESS') return [];
  return [
    {
      title: '',
      text: '',
      tags: resolution,
      audio_url: '',
      video_url: task.result_url,
      image_url: imageUrl,
      duration: seconds,
    },
  ];
}
