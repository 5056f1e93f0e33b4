// Public URLs with a keyed digest: of a drawing's image, and of the callback for an upstream. The ids alone can be guessed,
// the digest cannot.
import type { Settings } from '#contract/settings.ts';
import { baseOf, isProof, mediaAddress, proofOf } from '#server/relay/media/index.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { propertiesOf } from './report.ts';

type Forwarding = Pick<Settings, 'MjForwardUrlEnabled' | 'ServerAddress'>;

/** By the setting of the site or of the token. */
export const isForwarded = (settings: Pick<Settings, 'MjForwardUrlEnabled'>, task: Task): boolean =>
  settings.MjForwardUrlEnabled || propertiesOf(task).isForwarded;

const pictureProof = (vault: Vault, task: Pick<Task, 'user_id' | 'task_id'>): string =>
  proofOf(vault, 'drawing-picture', `${task.user_id}:${task.task_id}`);

/** Our own URL if the setting or the token asks for it, else the upstream's. */
export function pictureAddress(vault: Vault, settings: Forwarding, task: Task): string {
  if (task.result_url === '' || !isForwarded(settings, task)) return task.result_url;
  const base = baseOf(settings.ServerAddress);
  return `${base}/mj/image/${encodeURIComponent(task.task_id)}?key=${pictureProof(vault, task)}`;
}

export function videoAddress(vault: Vault, settings: Forwarding, task: Task): string {
  const { videoUrl } = propertiesOf(task);
  if (videoUrl === '' || !isForwarded(settings, task)) return videoUrl;
  return mediaAddress(vault, settings.ServerAddress, { task, name: 'video-0' });
}

export const isPictureProof = (vault: Vault, task: Task, proof: string): boolean =>
  isProof(pictureProof(vault, task), proof);

const reportProof = (vault: Vault, task: Pick<Task, 'hold_id'>): string =>
  proofOf(vault, 'drawing-report', task.hold_id);

/** Undefined when callbacks are off or the site has no address. */
export function reportAddress(
  vault: Vault,
  { MjNotifyEnabled, ServerAddress }: Pick<Settings, 'MjNotifyEnabled' | 'ServerAddress'>,
  task: Pick<Task, 'id' | 'hold_id'>,
): string | undefined {
  if (!MjNotifyEnabled || ServerAddress === '') return undefined;
  return `${baseOf(ServerAddress)}/mj/notify/${task.id}.${reportProof(vault, task)}`;
}

/** `12.0a4f…` → 12 and the proof. */
export function readReportAddress(text: string): { id: number; proof: string } | undefined {
  const [, id, proof] = /^(\d{1,15})\.([\da-f]{32})$/.exec(text) ?? [];
  return id === undefined || proof === undefined ? undefined : { id: Number(id), proof };
}

export function isReportProof(vault: Vault, task: Pick<Task, 'hold_id'>, proof: string): boolean {
  return isProof(reportProof(vault, task), proof);
}
