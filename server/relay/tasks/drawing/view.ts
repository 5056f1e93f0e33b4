// A drawing as its caller reads it, under the names a Midjourney proxy uses.
import type { Settings } from '#contract/settings.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { pictureAddress, videoAddress } from './addresses.ts';
import { propertiesOf } from './report.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';

export function drawingOf(
  vault: Vault,
  settings: Pick<Settings, 'MjForwardUrlEnabled' | 'ServerAddress'>,
  task: Task,
) {
  const { description, state, buttons, properties } = propertiesOf(task);
  return {
    id: task.task_id,
    action: task.action,
    status: task.status,
    progress: task.progress,
    prompt: task.prompt,
    promptEn: task.prompt_en,
    description,
    state,
    submitTime: task.submit_ms,
    startTime: task.start_ms,
    finishTime: task.finish_ms,
    imageUrl: pictureAddress(vault, settings, task),
    videoUrl: videoAddress(vault, settings, task),
    failReason: failWords(task.fail_reason),
    buttons,
    properties,
  };
}
