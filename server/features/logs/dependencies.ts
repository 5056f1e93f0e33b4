// What the log feature needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface LogDependencies {
  store: Store;
  settings: {
    readonly current: Pick<Settings, 'GroupRatio' | 'UserUsableGroups' | 'LogConsumeEnabled'>;
  };
  /** What upstreams made in their own time goes with the log of its day, by the hand that keeps it. */
  endedTasks: {
    count(before: number): Promise<number>;
    /** Up to `most` of them, the oldest first; how many. */
    removeOldest(before: number, most: number): Promise<number>;
  };
  /** Unix seconds; tests move it. */
  now?: () => number;
  /** Up to this many rows in the time range are read one by one; above it the hourly figures lead. */
  directRows?: number;
  /** How long a page looks for rare rows before it answers with what it has. */
  patienceMilliseconds?: number;
}

const DIRECT_ROWS = 5000;
const PATIENCE_MILLISECONDS = 80;

export function nowSeconds(dependencies: Pick<LogDependencies, 'now'>): number {
  return dependencies.now ? dependencies.now() : Math.floor(Date.now() / 1000);
}

export function directRows(dependencies: LogDependencies): number {
  return dependencies.directRows ?? DIRECT_ROWS;
}

export function patience(dependencies: LogDependencies): number {
  return dependencies.patienceMilliseconds ?? PATIENCE_MILLISECONDS;
}
