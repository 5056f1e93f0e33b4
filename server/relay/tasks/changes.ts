// Writes an upstream's report into the row and ends the hold after the last one. The poller and callbacks may report at the
// same time; the first final status wins.
import type { Core } from '#server/relay/pipeline/core.ts';
import { endHold } from './money.ts';
import type { Platform, RawReport } from './platform.ts';
import type { Task, TaskChange, TaskRows } from './rows.ts';

export interface Changes {
  /** True when the report ends the task. */
  apply(platform: Platform, task: Task, report: RawReport): Promise<boolean>;
  fail(platform: Platform, task: Task, reason: string): Promise<void>;
  /** Waits for the callbacks that are being sent to callers. */
  close(): Promise<void>;
}

export function taskChanges(core: Core, rows: TaskRows): Changes {
  const callbacks = new Set<Promise<void>>();

  /** Not awaited and not repeated: the caller can fetch the task at any time. */
  function notifyCaller(platform: Platform, task: Task): void {
    const callback = platform
      .changed?.(core, task)
      .catch((error: unknown) => core.log.info('a callback to a caller failed', { task: task.id, error }))
      .finally(() => callbacks.delete(callback as Promise<void>));
    if (callback !== undefined) callbacks.add(callback);
  }

  return {
    async apply(platform, task, report) {
      const { change, ends, doubt } = platform.changeIn(task, report, Date.now());
      const changed = differs(task, change) && (await rows.change(task.id, change));
      if (ends && changed && doubt !== undefined) core.log.error(doubt, { task: task.id });
      if (ends) await endHold(core, rows, platform, task.id);
      if (changed) notifyCaller(platform, { ...task, ...change });
      return ends;
    },
    async fail(platform, task, reason) {
      const change = { status: 'FAILURE', fail_reason: reason, finish_ms: Date.now() } as const;
      const changed = await rows.end(task.id, change);
      await endHold(core, rows, platform, task.id);
      if (changed) notifyCaller(platform, { ...task, ...change });
    },
    async close() {
      await Promise.all(callbacks);
    },
  };
}

function differs(task: Task, change: TaskChange): boolean {
  return (Object.keys(change) as (keyof TaskChange & keyof Task)[]).some(
    (name) => change[name] !== task[name],
  );
}
