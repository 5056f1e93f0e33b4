// The image of a drawing at our own URL, by the upstream's id and a proof.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { fileName } from '#server/relay/tasks/files.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { isPictureProof } from './addresses.ts';
import { midjourney } from './midjourney.ts';

export async function showPicture(parts: TaskParts, incoming: Incoming, id: string): Promise<Response> {
  const { core, rows, files, media } = parts;
  const proof = new URL(incoming.request.url).searchParams.get('key') ?? '';
  const tasks = await rows.anyNamed(midjourney.name, id);
  const task = tasks.find((each) => each.result_url !== '' && isPictureProof(core.store.vault, each, proof));
  const image = fileName('image', 0);
  const file = task === undefined ? undefined : files.of(task).find(({ name }) => name === image);
  if (file === undefined) throw new RelayError('task_unknown');
  return await media.answer(incoming, file);
}
