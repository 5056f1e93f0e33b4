// What the paths of all platforms share.
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Media } from '#server/relay/media/index.ts';
import type { Changes } from './changes.ts';
import type { TaskFiles } from './files.ts';
import type { TaskRows } from './rows.ts';

export interface TaskParts {
  readonly core: Core;
  readonly rows: TaskRows;
  readonly changes: Changes;
  readonly files: TaskFiles;
  readonly media: Media;
  /** Time between two polls of a task. */
  readonly pollSeconds: number;
  /** Aborted when the process ends; cancels running polls. */
  readonly life: AbortSignal;
}
