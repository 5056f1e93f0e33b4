// The path of a result's file: `/media/<task>/<file>?key=<proof>`.
import { isMediaProof, readMediaPath } from '#server/relay/media/index.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { withErrors, pathOf, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { TaskParts } from './parts.ts';

export function fileRoutes(parts: TaskParts): RelayRoutes {
  return { '/media/*': withErrors(parts.core, (incoming) => answer(parts, incoming)) };
}

async function answer({ core, rows, files, media }: TaskParts, incoming: Incoming): Promise<Response> {
  const { request } = incoming;
  const path = pathOf(request);
  if (request.method !== 'GET')
    throw new RelayError('method_not_allowed', { method: request.method, path: path.slice(0, 200) });
  const asked = readMediaPath(path);
  const task = asked === undefined ? undefined : await rows.find(asked.taskId);
  const proof = new URL(request.url).searchParams.get('key') ?? '';
  // The proof is checked before anything of the task is read: without it a task that exists looks like one that does not.
  if (
    asked === undefined ||
    task === undefined ||
    !isMediaProof(core.store.vault, { task, name: asked.name }, proof)
  )
    throw new RelayError('task_unknown');
  const file = files.of(task).find(({ name }) => name === asked.name);
  if (file === undefined) throw new RelayError('task_unknown');
  return await media.answer(incoming, file);
}
