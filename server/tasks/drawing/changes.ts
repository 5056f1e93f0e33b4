// Takes a report of the upstream into the row and, when it is the last, ends the hold. Reports come by the poller and by
// callbacks at the same time; the row takes the first end it is told and no other.
import type { Core } from '#server/relay/pipeline/core.ts';
import { endHold } from '#server/tasks/money.ts';
import type { Task, TaskRows } from '#server/tasks/rows.ts';
import { changeIn, differs } from './report.ts';
import { drawingOf } from './view.ts';

export interface Changes {
  take(task: Task, report: Readonly<Record<string, unknown>>): Promise<void>;
  fail(task: Task, reason: string): Promise<void>;
  /** Waits for messages that are on their way to callers. */
  close(): Promise<void>;
}

const messageSeconds = 10;

export function drawingChanges(core: Core, rows: TaskRows): Changes {
  const messages = new Set<Promise<void>>();
  const { store, settings, egress, log } = core;

  /** Best effort: a caller who must know asks for the task. */
  function tell(task: Task): void {
    if (task.notify_url === '' || !settings.current.MjNotifyEnabled) return;
    const body = JSON.stringify(drawingOf(store.vault, settings.current, task));
    const message = egress
      .fetch('user', task.notify_url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        timeoutSeconds: messageSeconds,
      })
      .then(() => {})
      .catch((error: unknown) =>
        log.info('a caller could not be told of a drawing', { task: task.id, error }),
      )
      .finally(() => messages.delete(message));
    messages.add(message);
  }

  return {
    async take(task, report) {
      const { change, ends } = changeIn(task, report, Date.now());
      const changed = differs(task, change) && (await rows.change(task.id, change));
      if (ends) await endHold(core, rows, task.id);
      if (changed) tell({ ...task, ...change });
    },
    async fail(task, reason) {
      const change = { status: 'FAILURE', fail_reason: reason, finish_ms: Date.now() } as const;
      const changed = await rows.end(task.id, change);
      await endHold(core, rows, task.id);
      if (changed) tell({ ...task, ...change });
    },
    async close() {
      await Promise.all(messages);
    },
  };
}
