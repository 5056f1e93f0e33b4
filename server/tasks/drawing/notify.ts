// A callback of the upstream. The address is known to nobody but the upstream it was given to, and all it can do is make us
// ask that upstream at once: what it says moves no money.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { isFinished } from '#contract/drawing.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { isReportProof, readReportAddress } from './addresses.ts';
import { json } from './answers.ts';
import type { DrawingParts } from './parts.ts';
import type { Poller } from './poll.ts';
import { isReport } from './report.ts';

export async function takeCallback(
  parts: DrawingParts,
  poller: Poller,
  incoming: Incoming,
  address: string,
): Promise<Response> {
  const { core, rows } = parts;
  const { store, settings } = core;
  const told = readReportAddress(address);
  const task = told === undefined ? undefined : await rows.find(told.id);
  const isOurs =
    settings.current.MjNotifyEnabled &&
    told !== undefined &&
    task !== undefined &&
    isReportProof(store.vault, task, told.proof);
  if (!isOurs) throw new RelayError('task_unknown');
  const { value } = await readJson(incoming);
  if (isFinished(task.status) || !isReport(value)) return json(incoming, { code: 1, description: 'ok' });
  // The process that submitted may have died before it heard the id.
  if (task.task_id === '' && /^[\w-]{1,128}$/.test(value.id)) {
    await rows.change(task.id, { task_id: value.id, status: 'SUBMITTED' });
    task.task_id = value.id;
  }
  if (task.task_id === value.id) await poller.look([task]);
  return json(incoming, { code: 1, description: 'ok' });
}
