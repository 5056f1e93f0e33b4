// Midjourney behind a proxy, as a platform of tasks.
import { factText } from '#contract/facts.ts';
import type { TaskPart } from '#contract/relay/tasks.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Platform } from '#server/relay/tasks/platform.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { isForwarded } from './addresses.ts';
import { changeIn, propertiesOf } from './report.ts';
import { reportsOf } from './upstream.ts';
import { drawingOf } from './view.ts';

const CALLBACK_SECONDS = 10;

export const midjourney: Platform = {
  name: 'midjourney',
  format: 'midjourney',
  lateReason: factText('drawingLate'),
  reportsOf,
  changeIn,
  partsOf,
  isForwarded,
  changed: callBack,
};

/** One picture, which changes until the drawing is finished, and of some drawings a video. */
function partsOf(task: Task): TaskPart[] {
  const { videoUrl } = propertiesOf(task);
  if (task.result_url === '' && videoUrl === '') return [];
  const none = { title: '', text: '', tags: '', audio_url: '', duration: 0 };
  return [{ ...none, image_url: task.result_url, video_url: videoUrl }];
}

async function callBack({ store, settings, egress }: Core, task: Task): Promise<void> {
  if (task.notify_url === '' || !settings.current.MjNotifyEnabled) return;
  await egress.fetch('user', task.notify_url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(drawingOf(store.vault, settings.current, task)),
    timeoutSeconds: CALLBACK_SECONDS,
  });
}
