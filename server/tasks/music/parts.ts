// The parts of a finished task as the console shows them: the clips of a song, or the text of lyrics.
import type { TaskPart } from '#contract/tasks.ts';
import { isObject } from '#server/formats/json.ts';
import { addressOf, textOf } from '#server/tasks/report-fields.ts';
import type { Task } from '#server/tasks/rows.ts';
import { dataOf } from './suno.ts';

const mostParts = 10;

export function musicParts(task: Pick<Task, 'properties'>): TaskPart[] {
  const data = dataOf(task);
  const list: unknown[] = Array.isArray(data) ? data : [data];
  return list
    .filter(isObject)
    .slice(0, mostParts)
    .map((part) => {
      const metadata = isObject(part['metadata']) ? part['metadata'] : {};
      const duration = Number(part['duration'] ?? metadata['duration'] ?? 0);
      return {
        title: textOf(part['title'], 200),
        text: textOf(part['text']) || textOf(part['prompt']) || textOf(metadata['prompt']),
        tags: textOf(part['tags'], 500) || textOf(metadata['tags'], 500),
        audio_url: addressOf(part['audio_url']),
        video_url: addressOf(part['video_url']),
        image_url: addressOf(part['image_url']),
        duration: Number.isFinite(duration) && duration > 0 ? duration : 0,
      };
    });
}
