// The parts of a finished task as the console shows them: the clips of a song, or the text of lyrics.
import type { TaskAsked, TaskPart } from '#contract/relay/tasks.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { MediaKind } from '#server/relay/media/index.ts';
import { FILE_FIELDS, type TaskFiles } from '#server/relay/tasks/files.ts';
import { addressOf, textOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';

const MOST_PARTS = 10;

interface MusicProperties {
  /** Undefined for tasks that were submitted before it was kept. */
  readonly asked?: TaskAsked;
  readonly data?: unknown;
}

export function propertiesOf({ properties }: Pick<Task, 'properties'>): MusicProperties {
  return properties === '' ? {} : (JSON.parse(properties) as MusicProperties);
}

/** Clips of a song, or the text of lyrics, as the upstream sent them. */
export const dataOf = (task: Pick<Task, 'properties'>): unknown => propertiesOf(task).data ?? null;

/** A song that failed is not paid: what its upstream had of it is not shown. */
const shownDataOf = (task: Pick<Task, 'properties' | 'status'>): unknown =>
  task.status === 'FAILURE' ? null : dataOf(task);

export function musicParts(task: Pick<Task, 'properties' | 'status'>): TaskPart[] {
  return objectsIn(shownDataOf(task))
    .slice(0, MOST_PARTS)
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

/** Ids of the clips of a song; none when the upstream does not name them. */
export const clipIds = (task: Pick<Task, 'properties'>): string[] =>
  objectsIn(dataOf(task))
    .flatMap((clip) => [clip['id'], clip['clip_id']])
    .filter((id) => typeof id === 'string');

const objectsIn = (data: unknown) => (Array.isArray(data) ? (data as unknown[]) : [data]).filter(isObject);

/** The result as its caller reads it: the upstream's words, with the addresses that users get. */
export function shownData(files: TaskFiles, task: Task): unknown {
  const data = shownDataOf(task);
  if (!Array.isArray(data)) return data;
  const places = new Map(
    objectsIn(data)
      .slice(0, MOST_PARTS)
      .map((clip, index) => [clip, index]),
  );
  return (data as unknown[]).map((clip) => {
    const index = isObject(clip) ? places.get(clip) : undefined;
    return index === undefined ? clip : shownClip(files, task, clip as Clip, index);
  });
}

type Clip = Readonly<Record<string, unknown>>;

function shownClip(files: TaskFiles, task: Task, clip: Clip, index: number): Clip {
  const fields = [...Object.entries(FILE_FIELDS), ['image', 'image_large_url']] as [MediaKind, string][];
  const shown = fields
    .filter(([, field]) => addressOf(clip[field]) !== '')
    .map(([kind, field]) => [field, files.addressOf(task, kind, index, addressOf(clip[field]))]);
  return { ...clip, ...Object.fromEntries(shown) };
}
