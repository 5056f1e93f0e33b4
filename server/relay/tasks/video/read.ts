// Reads and deletes the videos that a caller reaches. The owner is part of every condition, so the id of another one's is unknown.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { isOwned, type Owner } from '#server/relay/request/owner.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Poller } from '#server/relay/tasks/poll.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import type { UpstreamRequest } from './platform.ts';
import { platformOf } from './registry.ts';
import { callUpstream } from './upstream.ts';
import { video } from './video.ts';
import { holdOf, openAiVideo, videoId } from './view.ts';

const MOST_VIDEOS = 100;

/** `id`: as the caller knows it. */
export async function ownVideo({ store }: Core, owner: Owner, id: string): Promise<Task> {
  const hold = holdOf(id);
  const task =
    hold === undefined
      ? undefined
      : await store.db
          .selectFrom('tasks')
          .selectAll()
          .where('hold_id', '=', hold)
          .where('platform', '=', video.name)
          .where(isOwned(owner))
          .executeTakeFirst();
  if (task === undefined) throw new RelayError('task_unknown');
  return task;
}

export async function listVideos(core: Core, owner: Owner, query: URLSearchParams) {
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') refuse('order');
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_VIDEOS) refuse('limit');
  const after = query.get('after');
  const start = after === null || after === '' ? undefined : await ownVideo(core, owner, after);
  let rows = core.store.db
    .selectFrom('tasks')
    .selectAll()
    .where('platform', '=', video.name)
    .where(isOwned(owner))
    .orderBy('id', order)
    // One more tells whether there are more.
    .limit(limit + 1);
  if (start !== undefined) rows = rows.where('id', order === 'asc' ? '>' : '<', start.id);
  const found = await rows.execute();
  const data = found.slice(0, limit).map(openAiVideo);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

function refuse(field: string): never {
  throw new RelayError('invalid_field', { field }, { param: field });
}

/** A running video is cancelled where the upstream can do that; a finished one is deleted, also at the upstream. */
export async function deleteVideo(parts: TaskParts, poller: Poller, owner: Owner, id: string) {
  const { core, rows } = parts;
  const before = await ownVideo(core, owner, id);
  // Still being submitted. The poller would take it for a submission that a crash ended, and release its hold.
  if (!isFinished(before.status) && before.task_id === '') throw new RelayError('video_busy');
  // A video that is finished but was not asked for since then is charged: to cancel it would only delete it.
  await poller.look([before]);
  const found = await ownVideo(core, owner, id);
  const isRunning = !isFinished(found.status);
  if (isRunning) await cancel(parts, found);
  const task = isRunning ? await ownVideo(core, owner, id) : found;
  // Without its row the hold of an end that was not completed would be lost.
  if (task.money === 'open') throw new RelayError('video_busy');
  if (!isRunning) await removeUpstream(core, task);
  await rows.remove(task.id);
  return { id: videoId(task), object: 'video.deleted' as const, deleted: true };
}

/** The hold is released only after the upstream has confirmed that it will not make the video. */
async function cancel({ core, changes }: TaskParts, task: Task): Promise<void> {
  const channel = core.catalog.current.channel(task.channel_id);
  const request = channel && task.task_id !== '' ? platformOf(channel)?.cancel?.(task.task_id) : undefined;
  if (channel === undefined || request === undefined || !(await isDone(core, channel, request)))
    throw new RelayError('video_busy');
  await changes.fail(video, task, factText('videoCancelled'));
}

/** A failed request is not repeated: the upstream deletes its videos after some time anyway. */
async function removeUpstream(core: Core, task: Task): Promise<void> {
  const channel = core.catalog.current.channel(task.channel_id);
  const request = channel && task.task_id !== '' ? platformOf(channel)?.remove?.(task.task_id) : undefined;
  if (channel === undefined || request === undefined) return;
  if (!(await isDone(core, channel, request)))
    core.log.warn('a video could not be deleted at its upstream', { task: task.id });
}

async function isDone(core: Core, channel: Channel, request: UpstreamRequest): Promise<boolean> {
  return !('failure' in (await callUpstream(core, channel, request, { timeoutSeconds: READ_SECONDS })));
}
