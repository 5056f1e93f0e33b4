// What this folder needs of the rest of the server.
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { MediaFile } from './file.ts';

export interface MediaDependencies {
  readonly store: Store;
  readonly settings: { readonly current: Settings };
  readonly egress: Pick<Egress, 'target' | 'open'>;
  readonly log: {
    info(message: string, fields?: Record<string, unknown>): void;
    warn(message: string, fields?: Record<string, unknown>): void;
  };
  readonly dataDir: string;
  /** The files of a task's result. */
  readonly filesOf: (task: Row<'tasks'>) => MediaFile[];
  readonly taskOf: (id: number) => Promise<Row<'tasks'> | undefined>;
  /** Replaces the look at the disk in tests. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}
