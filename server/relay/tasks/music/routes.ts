// The paths of a Suno proxy: submit music or lyrics, fetch one task or many, and its callbacks. Answers are {code, message, data}.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { decode, withErrors, pathOf, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { receiveCallback } from '#server/relay/tasks/callback.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Poller } from '#server/relay/tasks/poll.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { callerOf, refusal, success } from './answers.ts';
import { submitMusic } from './submit.ts';
import { shownData } from './parts.ts';
import { suno } from './suno.ts';
import { failWords, toldTo } from '#server/relay/tasks/fail-words.ts';

const MOST_IDS = 500;

export function musicRoutes(parts: TaskParts, poller: Poller): RelayRoutes {
  const { core } = parts;
  const handler = withErrors(core, (incoming) => answer(parts, poller, incoming), refusal);
  return { '/suno/*': handler };
}

type Route = readonly ['GET' | 'POST', (incoming: Incoming) => Promise<Response>];

async function answer(parts: TaskParts, poller: Poller, incoming: Incoming): Promise<Response> {
  const path = pathOf(incoming.request);
  const { method } = incoming.request;
  const found = routesAt(parts, poller, path.replace(/^\/suno\//, '').replace(/\/$/, ''));
  if (found.length === 0) throw new RelayError('unknown_route', { method, path: path.slice(0, 200) });
  const route = found.find(([expected]) => expected === method);
  if (route === undefined) throw new RelayError('method_not_allowed', { method, path: path.slice(0, 200) });
  return await route[1](incoming);
}

function routesAt(parts: TaskParts, poller: Poller, path: string): Route[] {
  const [, action] = /^submit\/(music|lyrics)$/i.exec(path) ?? [];
  if (action !== undefined)
    return [['POST', (incoming) => submitMusic(parts, incoming, action.toLowerCase() === 'lyrics')]];
  if (path === 'fetch') return [['POST', (incoming) => fetchMany(parts, incoming)]];
  const [, verb, id] = /^(fetch|notify)\/([^/]+)$/.exec(path) ?? [];
  if (id === undefined) return [];
  if (verb === 'fetch') return [['GET', (incoming) => fetchOne(parts, incoming, decode(id))]];
  return [['POST', (incoming) => receiveCallback(parts, poller, incoming, 'suno', id)]];
}

async function fetchOne(parts: TaskParts, incoming: Incoming, id: string): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const [task] = await parts.rows.named(suno.name, [id], caller);
  if (task === undefined) throw new RelayError('task_unknown');
  return success(incoming, musicOf(parts, toldTo(incoming, task)));
}

async function fetchMany(parts: TaskParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const { ids } = (await readJson(incoming)).value;
  const isList = Array.isArray(ids) && ids.length <= MOST_IDS && ids.every((id) => typeof id === 'string');
  if (!isList) throw new RelayError('invalid_field', { field: 'ids' }, { param: 'ids' });
  const tasks = ids.length === 0 ? [] : await parts.rows.named(suno.name, ids, caller);
  return success(
    incoming,
    tasks.map((task) => musicOf(parts, toldTo(incoming, task))),
  );
}

/** A task as its caller reads it; times in seconds. */
function musicOf({ files }: TaskParts, task: Task) {
  return {
    task_id: task.task_id,
    platform: task.platform,
    action: task.action,
    status: task.status,
    fail_reason: failWords(task.fail_reason),
    submit_time: Math.floor(task.submit_ms / 1000),
    start_time: Math.floor(task.start_ms / 1000),
    finish_time: Math.floor(task.finish_ms / 1000),
    progress: task.progress,
    data: shownData(files, task),
  };
}
