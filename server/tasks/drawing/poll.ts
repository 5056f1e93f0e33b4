// Polls the upstreams for the state of drawings, many in one request. A task is claimed in the database, so that one node
// polls it. A callback only makes the poll come sooner: its content is read again with our own key.
import { isFinished } from '#contract/drawing.ts';
import { endHold } from '#server/tasks/money.ts';
import type { Task } from '#server/tasks/rows.ts';
import { servesDrawings } from './channels.ts';
import type { DrawingParts } from './parts.ts';
import { reportsOf } from './upstream.ts';

const mostIds = 200;

export interface Poller {
  /** Claims the tasks that are due and begins to ask for them. Not awaited: a slow upstream must delay no other's turn. */
  pollDue(): Promise<void>;
  /** Polls these now, due or not. */
  look(tasks: readonly Task[]): Promise<void>;
  close(): Promise<void>;
}

export function createPoller(parts: DrawingParts): Poller {
  const { core, rows, changes, pollSeconds, life } = parts;
  const { log } = core;
  /** Questions that wait for an upstream. */
  const turns = new Set<Promise<void>>();

  async function pollDue(): Promise<void> {
    const due = await rows.claim(Math.floor(Date.now() / 1000), pollSeconds);
    if (due.length === 0) return;
    const running = look(due)
      .catch((error: unknown) => log.error('tasks could not be polled', { error }))
      .finally(() => turns.delete(running));
    turns.add(running);
  }

  async function look(tasks: readonly Task[]): Promise<void> {
    const channels = Map.groupBy(tasks, (task) => task.channel_id);
    await Promise.all(
      [...channels].map(async ([channelId, list]) => {
        for (let start = 0; start < list.length; start += mostIds)
          await lookAt(channelId, list.slice(start, start + mostIds));
      }),
    );
  }

  async function lookAt(channelId: number, tasks: readonly Task[]): Promise<void> {
    const open = tasks.filter((task) => !isFinished(task.status) && task.task_id !== '');
    const channel = core.catalog.current.channel(channelId);
    const reports =
      servesDrawings(channel) && open.length > 0
        ? await reportsOf(core, channel, [...new Set(open.map((task) => task.task_id))], life)
        : undefined;
    // This node is ending; another one polls again.
    if (life.aborted) return;
    for (const task of tasks) {
      // A failing task must not block the others.
      await step(task, reports?.get(task.task_id), servesDrawings(channel)).catch((error: unknown) =>
        log.error('a task could not be updated', { task: task.id, error }),
      );
    }
  }

  async function step(
    task: Task,
    report: Readonly<Record<string, unknown>> | undefined,
    hasChannel: boolean,
  ): Promise<void> {
    // A crash came between the final status and the end of the hold.
    if (isFinished(task.status)) return await endHold(core, rows, task.id);
    if (report !== undefined) await changes.apply(task, report);
    if (report !== undefined && isFinished(String(report['status']))) return;
    const reason = reasonToGiveUp(task, hasChannel);
    if (reason !== undefined) await changes.fail(task, reason);
  }

  return {
    pollDue,
    look,
    async close() {
      await Promise.all(turns);
    },
  };
}

function reasonToGiveUp(task: Task, hasChannel: boolean): string | undefined {
  if (task.task_id === '') return 'The submission was interrupted';
  if (!hasChannel) return 'The channel is gone';
  return task.deadline_at <= Date.now() / 1000 ? 'The drawing was not finished in time' : undefined;
}
