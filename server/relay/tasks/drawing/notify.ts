// A callback of the upstream. Only that upstream knows the URL, and a callback only makes us poll the upstream at once: its
// content moves no money.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { isReportProof, readReportAddress } from './addresses.ts';
import { json } from './answers.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Poller } from '#server/relay/tasks/poll.ts';
import { isReport } from './report.ts';

export async function receiveCallback(
  parts: TaskParts,
  poller: Poller,
  incoming: Incoming,
  address: string,
): Promise<Response> {
  const { core, rows } = parts;
  const { store, settings } = core;
  const parsed = readReportAddress(address);
  const task = parsed === undefined ? undefined : await rows.find(parsed.id);
  const isOurs =
    settings.current.MjNotifyEnabled &&
    parsed !== undefined &&
    task !== undefined &&
    isReportProof(store.vault, task, parsed.proof);
  if (!isOurs) throw new RelayError('task_unknown');
  const { value } = await readJson(incoming);
  if (isFinished(task.status) || !isReport(value)) return json(incoming, { code: 1, description: 'ok' });
  // The submitting process may have died before it stored the id.
  if (task.task_id === '' && /^[\w-]{1,128}$/.test(value.id)) {
    await rows.change(task.id, { task_id: value.id, status: 'SUBMITTED' });
    task.task_id = value.id;
  }
  if (task.task_id === value.id) await poller.look([task]);
  return json(incoming, { code: 1, description: 'ok' });
}
