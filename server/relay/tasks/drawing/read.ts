// Reads of the owner's drawings: one, several, and the seed of an image, which only the upstream has.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { isObject } from '#server/models/formats/json.ts';
import { neutralText, RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, networkFailure } from '#server/relay/errors/upstream-failure.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { serves } from '#server/relay/tasks/channels.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { json } from './answers.ts';
import { callerOf } from './caller.ts';
import { midjourney } from './midjourney.ts';
import { seedOf } from './upstream.ts';
import { drawingOf } from './view.ts';
import { toldTo } from '#server/relay/tasks/fail-words.ts';

const MOST_IDS = 500;

async function ownTask(parts: TaskParts, incoming: Incoming, id: string): Promise<Task> {
  const caller = await callerOf(parts.core, incoming);
  const [task] = await parts.rows.named(midjourney.name, [id], caller);
  if (task === undefined) throw new RelayError('task_unknown');
  return task;
}

export async function fetchDrawing(parts: TaskParts, incoming: Incoming, id: string): Promise<Response> {
  const { store, settings } = parts.core;
  const task = await ownTask(parts, incoming, id);
  return json(incoming, drawingOf(store.vault, settings.current, toldTo(incoming, task)));
}

export async function listDrawings(parts: TaskParts, incoming: Incoming): Promise<Response> {
  const { store, settings } = parts.core;
  const caller = await callerOf(parts.core, incoming);
  const { ids } = (await readJson(incoming)).value;
  const isList = Array.isArray(ids) && ids.length <= MOST_IDS && ids.every((id) => typeof id === 'string');
  if (!isList) throw new RelayError('invalid_field', { field: 'ids' }, { param: 'ids' });
  const tasks = ids.length === 0 ? [] : await parts.rows.named(midjourney.name, ids, caller);
  // A dialog and its confirmation share an id; the newer row is the drawing.
  const newest = new Map(tasks.toReversed().map((task) => [task.task_id, task]));
  const found = [...newest.values()].map((task) =>
    drawingOf(store.vault, settings.current, toldTo(incoming, task)),
  );
  return json(incoming, found);
}

export async function seedOfDrawing(parts: TaskParts, incoming: Incoming, id: string): Promise<Response> {
  const task = await ownTask(parts, incoming, id);
  const channel = parts.core.catalog.current.channel(task.channel_id);
  if (!serves(channel, midjourney.format)) throw new RelayError('task_channel_away');
  const reply = await seedOf(parts.core, channel, id);
  if ('failure' in reply) throw callerError(reply.failure);
  const { value } = reply;
  if (!isObject(value)) throw callerError(networkFailure('network'));
  return json(incoming, {
    code: typeof value['code'] === 'number' ? value['code'] : 1,
    description: neutralText(value['description']) ?? '',
    result: value['result'] ?? '',
  });
}
