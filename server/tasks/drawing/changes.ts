// Writes an upstream's report into the row and ends the hold after the last one. The poller and callbacks may report at the
// same time; the first final status wins.
import type { Core } from '#server/relay/pipeline/core.ts';
import { endHold } from '#server/tasks/money.ts';
import type { Task, TaskRows } from '#server/tasks/rows.ts';
import { changeIn, differs } from './report.ts';
import { drawingOf } from './view.ts';

export interface Changes {
  apply(task: Task, report: Readonly<Record<string, unknown>>): Promise<void>;
  fail(task: Task, reason: string): Promise<void>;
  /** Waits for the callbacks that are being sent to callers. */
  close(): Promise<void>;
}

const callbackSeconds = 10;

export function drawingChanges(core: Core, rows: TaskRows): Changes {
  const callbacks = new Set<Promise<void>>();
  const { store, settings, egress, log } = core;

  /** Not awaited and not repeated: the caller can fetch the task at any time. */
  function notifyCaller(task: Task): void {
    if (task.notify_url === '' || !settings.current.MjNotifyEnabled) return;
    const body = JSON.stringify(drawingOf(store.vault, settings.current, task));
    const callback = egress
      .fetch('user', task.notify_url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        timeoutSeconds: callbackSeconds,
      })
      .then(() => {})
      .catch((error: unknown) => log.info('a callback to a caller failed', { task: task.id, error }))
      .finally(() => callbacks.delete(callback));
    callbacks.add(callback);
  }

  return {
    async apply(task, report) {
      const { change, ends } = changeIn(task, report, Date.now());
      const changed = differs(task, change) && (await rows.change(task.id, change));
      if (ends) await endHold(core, rows, task.id);
      if (changed) notifyCaller({ ...task, ...change });
    },
    async fail(task, reason) {
      const change = { status: 'FAILURE', fail_reason: reason, finish_ms: Date.now() } as const;
      const changed = await rows.end(task.id, change);
      await endHold(core, rows, task.id);
      if (changed) notifyCaller({ ...task, ...change });
    },
    async close() {
      await Promise.all(callbacks);
    },
  };
}
