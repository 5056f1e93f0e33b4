// Batches of one owner. The owner is part of every condition.
import { unixSeconds } from '#contract/time.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { serves } from '#server/relay/tasks/channels.ts';
import { isOwned, type Owner } from '#server/relay/request/owner.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Platform } from '#server/relay/tasks/platform.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { isId } from './methods.ts';
import { LONGEST_WAIT_SECONDS } from './platform.ts';

export async function ownBatch(
  { rows }: TaskParts,
  platform: Platform,
  owner: Owner,
  id: string,
): Promise<Task> {
  const [task] = isId(id) ? await rows.named(platform.name, [id], owner) : [];
  if (task === undefined || task.removed_at > 0)
    throw new RelayError('batch_unknown', { id }, { type: 'invalid_request_error', param: 'id' });
  return task;
}

export function channelOf({ core }: TaskParts, platform: Platform, task: Task): Channel {
  const channel = core.catalog.current.channel(task.channel_id);
  if (!serves(channel, platform.format)) throw new RelayError('batch_channel_away', { id: task.task_id });
  return channel;
}

export interface BatchPage {
  readonly limit: number;
  /** Older than this one. */
  readonly after: Task | undefined;
  /** Newer than this one. */
  readonly before: Task | undefined;
}

/** Newest first; one more than the limit when there are more. */
export async function listBatches(
  { core }: TaskParts,
  platform: Platform,
  owner: Owner,
  { limit, after, before }: BatchPage,
): Promise<Task[]> {
  let query = core.store.db
    .selectFrom('tasks')
    .selectAll()
    .where(isOwned(owner))
    .where('platform', '=', platform.name)
    .where('task_id', '<>', '')
    .where('removed_at', '=', 0);
  if (after !== undefined) query = query.where('id', '<', after.id);
  if (before !== undefined) query = query.where('id', '>', before.id);
  const isBackwards = before !== undefined && after === undefined;
  const found = await query
    .orderBy('id', isBackwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute();
  return isBackwards ? found.toReversed() : found;
}

/** A caller who asks for a running batch makes the next poll come sooner, unless its upstream does not answer. */
export async function pollSoon({ core }: TaskParts, { id }: Task): Promise<void> {
  const now = unixSeconds();
  await core.store.db
    .updateTable('tasks')
    .set({ next_poll_at: now })
    .where('id', '=', id)
    .where('money', '=', 'open')
    .where('poll_failures', '=', 0)
    .where('next_poll_at', '>', now)
    // Later: a node reads the output, and another one must not begin.
    .where('next_poll_at', '<=', now + LONGEST_WAIT_SECONDS)
    .execute();
}

export async function removeBatch({ core }: TaskParts, { id, user_id }: Task): Promise<void> {
  await core.store.db
    .updateTable('tasks')
    .set({ removed_at: unixSeconds() })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .execute();
}
