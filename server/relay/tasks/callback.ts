// Callbacks of upstreams of music and videos. The address contains a digest that only this upstream has seen, and a callback
// only makes the poller ask at once: its content is not read and moves no money.
import { isFinished } from '#contract/relay/drawing.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { json } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { baseOf, isProof, proofOf } from '#server/relay/media/index.ts';
import { readReportAddress } from './drawing/addresses.ts';
import type { TaskParts } from './parts.ts';
import type { Poller } from './poll.ts';
import type { Task } from './rows.ts';

/** The path below which each platform's upstreams call. */
const PATHS = { suno: '/suno/notify', video: '/v1/video/notify' } as const;
export type CallbackPlatform = keyof typeof PATHS;

type Called = Pick<Task, 'id' | 'hold_id'>;

const reportProof = ({ store: { vault } }: Core, platform: CallbackPlatform, { hold_id }: Called): string =>
  proofOf(vault, `${platform}-report`, hold_id);

/** Undefined while the site's address is one that no upstream can reach. */
export function callbackAddress(core: Core, platform: CallbackPlatform, task: Called): string | undefined {
  const address = baseOf(core.settings.current.ServerAddress);
  const url = URL.parse(address);
  if (url === null || url.hostname === 'localhost') return undefined;
  return `${address}${PATHS[platform]}/${task.id}.${reportProof(core, platform, task)}`;
}

export async function receiveCallback(
  { core, rows }: TaskParts,
  poller: Poller,
  incoming: Incoming,
  platform: CallbackPlatform,
  address: string,
): Promise<Response> {
  const parsed = readReportAddress(address);
  const task = parsed === undefined ? undefined : await rows.find(parsed.id);
  const isOurs =
    parsed !== undefined &&
    task?.platform === platform &&
    isProof(reportProof(core, platform, task), parsed.proof);
  if (!isOurs) throw new RelayError('task_unknown');
  if (!isFinished(task.status) && task.task_id !== '') await poller.look([task]);
  return json(incoming, { code: 0 });
}
