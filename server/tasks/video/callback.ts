// Callbacks of upstreams. The address contains a digest that only this upstream has seen, and a callback only makes the poller
// ask at once: its content is not read and moves no money.
import { isFinished } from '#contract/drawing.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { json } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { isProof, proofOf } from '#server/media/index.ts';
import { readReportAddress } from '#server/tasks/drawing/addresses.ts';
import type { TaskParts } from '#server/tasks/parts.ts';
import type { Poller } from '#server/tasks/poll.ts';
import type { Task } from '#server/tasks/rows.ts';
import { video } from './video.ts';

type Called = Pick<Task, 'id' | 'hold_id'>;

const reportProof = ({ store: { vault } }: Core, { hold_id }: Called): string =>
  proofOf(vault, 'video-report', hold_id);

/** Undefined while the site's address is one that no upstream can reach. */
export function callbackAddress(core: Core, task: Called): string | undefined {
  const address = core.settings.current.ServerAddress.replace(/\/+$/, '');
  const url = URL.parse(address);
  if (url === null || url.hostname === 'localhost') return undefined;
  return `${address}/v1/video/notify/${task.id}.${reportProof(core, task)}`;
}

export async function receiveCallback(
  { core, rows }: TaskParts,
  poller: Poller,
  incoming: Incoming,
  address: string,
): Promise<Response> {
  const parsed = readReportAddress(address);
  const task = parsed === undefined ? undefined : await rows.find(parsed.id);
  const isOurs =
    parsed !== undefined && task?.platform === video.name && isProof(reportProof(core, task), parsed.proof);
  if (!isOurs) throw new RelayError('task_unknown');
  if (!isFinished(task.status) && task.task_id !== '') await poller.look([task]);
  return json(incoming, { code: 0 });
}
