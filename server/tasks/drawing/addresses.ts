// Public URLs with a keyed digest: of a drawing's image, and of the callback for an upstream. The ids alone can be guessed,
// the digest cannot.
import { timingSafeEqual } from 'node:crypto';
import type { Settings } from '#contract/settings.ts';
import type { Vault } from '#server/store/vault.ts';
import type { Task } from '#server/tasks/rows.ts';
import { propertiesOf } from './report.ts';

const proofLength = 32;

type Picture = Pick<Task, 'task_id' | 'user_id' | 'result_url' | 'status' | 'properties'>;

const pictureProof = (vault: Vault, task: Pick<Picture, 'user_id' | 'task_id'>): string =>
  vault.digest('drawing-picture', `${task.user_id}:${task.task_id}`).slice(0, proofLength);

/** Our own URL if the setting or the token asks for it, else the upstream's. */
export function pictureAddress(
  vault: Vault,
  settings: Pick<Settings, 'MjForwardUrlEnabled' | 'ServerAddress'>,
  task: Picture,
): string {
  if (task.result_url === '') return '';
  if (!settings.MjForwardUrlEnabled && !propertiesOf(task).isForwarded) return task.result_url;
  const base = settings.ServerAddress.replace(/\/+$/, '');
  return `${base}/mj/image/${encodeURIComponent(task.task_id)}?key=${pictureProof(vault, task)}`;
}

export function isPictureProof(vault: Vault, task: Picture, proof: string): boolean {
  return isSameProof(pictureProof(vault, task), proof);
}

const reportProof = (vault: Vault, task: Pick<Task, 'hold_id'>): string =>
  vault.digest('drawing-report', task.hold_id).slice(0, proofLength);

/** Undefined when callbacks are off or the site has no address. */
export function reportAddress(
  vault: Vault,
  { MjNotifyEnabled, ServerAddress }: Pick<Settings, 'MjNotifyEnabled' | 'ServerAddress'>,
  task: Pick<Task, 'id' | 'hold_id'>,
): string | undefined {
  if (!MjNotifyEnabled || ServerAddress === '') return undefined;
  return `${ServerAddress.replace(/\/+$/, '')}/mj/notify/${task.id}.${reportProof(vault, task)}`;
}

/** `12.0a4f…` → 12 and the proof. */
export function readReportAddress(text: string): { id: number; proof: string } | undefined {
  const [, id, proof] = /^(\d{1,15})\.([\da-f]{32})$/.exec(text) ?? [];
  return id === undefined || proof === undefined ? undefined : { id: Number(id), proof };
}

export function isReportProof(vault: Vault, task: Pick<Task, 'hold_id'>, proof: string): boolean {
  return isSameProof(reportProof(vault, task), proof);
}

/** Both of `proofLength`. */
export function isSameProof(expected: string, given: string): boolean {
  return (
    expected.length === given.length &&
    timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given.slice(0, proofLength), 'latin1'))
  );
}
