// Polls the upstreams for the state of tasks, many in one request. A task is claimed in the database, so that one node polls
// it. A callback only makes the poll come sooner: its content is read again with our own key.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { unixSeconds } from '#contract/time.ts';
import { serves } from './channels.ts';
import { endHold } from './money.ts';
import { paceOf, waitSeconds } from './pace.ts';
import type { TaskParts } from './parts.ts';
import type { Platform, RawReport } from './platform.ts';
import type { Task } from './rows.ts';

const MOST_IDS = 200;
/** A claim lasts six intervals, at most a minute: time for an answer, and the delay after a crash of the node that asked. */
const claimSeconds = (pollSeconds: number): number => Math.max(pollSeconds, Math.min(60, pollSeconds * 6));

export interface Poller {
  /** Claims the tasks that are due and begins to ask for them. Not awaited: a slow upstream must delay no other's turn. */
  pollDue(): Promise<void>;
  /** Polls these now, due or not. */
  look(tasks: readonly Task[]): Promise<void>;
  close(): Promise<void>;
}

/** A task that goes on after a question. */
interface Waiting {
  readonly task: Task;
  /** Questions in a row that brought no report. */
  readonly failures: number;
}

/** The parts of tasks that questions to upstreams need. */
export type PollerParts = Pick<TaskParts, 'core' | 'rows' | 'changes' | 'pollSeconds' | 'life'>;

export function createPoller(parts: PollerParts, platforms: readonly Platform[]): Poller {
  const { core, rows, changes, pollSeconds, life } = parts;
  const { log } = core;
  const byName = new Map(platforms.map((platform) => [platform.name, platform]));
  /** Questions that wait for an upstream. */
  const turns = new Set<Promise<void>>();
  /** Ids of tasks in those questions: a claim may end before a slow upstream has answered for all of its tasks. */
  const asking = new Set<number>();

  async function pollDue(): Promise<void> {
    const claimed = await rows.claim(unixSeconds(), claimSeconds(pollSeconds));
    const due = claimed.filter(({ id }) => !asking.has(id));
    if (due.length === 0) return;
    const running = askFor(due, (platform, waiting) => scheduleNext(parts, platform, waiting))
      .catch((error: unknown) => log.error('tasks could not be polled', { error }))
      .finally(() => turns.delete(running));
    turns.add(running);
  }

  async function askFor(
    tasks: readonly Task[],
    onWaiting?: (platform: Platform, waiting: readonly Waiting[]) => Promise<void>,
  ): Promise<void> {
    const groups = Map.groupBy(tasks, (task) => `${task.platform} ${task.channel_id}`);
    await Promise.all(
      [...groups.values()].map(async (list) => {
        const platform = byName.get(list[0]?.platform ?? '');
        // A platform of a newer version; a node of that version polls it.
        if (platform === undefined) return;
        for (const { id } of list) asking.add(id);
        try {
          for (let start = 0; start < list.length; start += MOST_IDS) {
            const waiting = await lookAt(platform, list.slice(start, start + MOST_IDS));
            await onWaiting?.(platform, waiting);
          }
        } finally {
          for (const { id } of list) asking.delete(id);
        }
      }),
    );
  }

  async function lookAt(platform: Platform, tasks: readonly Task[]): Promise<Waiting[]> {
    const open = tasks.filter((task) => !isFinished(task.status) && task.task_id !== '');
    const channel = core.catalog.current.channel(tasks[0]?.channel_id ?? 0);
    const hasChannel = serves(channel, platform.format);
    const ids = [...new Set(open.map((task) => task.task_id))];
    const reports =
      hasChannel && ids.length > 0 ? await platform.reportsOf(core, channel, ids, life) : undefined;
    // This node is ending; another one polls again.
    if (life.aborted) return [];
    const waiting: Waiting[] = [];
    for (const task of tasks) {
      const report = reports?.get(task.task_id);
      // A failing task must not block the others.
      const isOver = await step(platform, task, report, hasChannel).catch((error: unknown) => {
        log.error('a task could not be updated', { task: task.id, error });
        return false;
      });
      if (!isOver) waiting.push({ task, failures: report === undefined ? task.poll_failures + 1 : 0 });
    }
    return waiting;
  }

  /** True when the task and its hold have ended. */
  async function step(
    platform: Platform,
    task: Task,
    report: RawReport | undefined,
    hasChannel: boolean,
  ): Promise<boolean> {
    if (isFinished(task.status)) {
      // A crash came between the final status and the end of the hold.
      await endHold(core, rows, platform, task.id);
      return true;
    }
    if (report !== undefined && (await changes.apply(platform, task, report))) return true;
    const reason = reasonToGiveUp(platform, task, hasChannel);
    if (reason === undefined) return false;
    await changes.fail(platform, task, reason);
    return true;
  }

  return {
    pollDue,
    look: (tasks) => askFor(tasks),
    async close() {
      await Promise.all(turns);
    },
  };
}

/** One time for tasks with the same wait, so that they stay in one request. */
async function scheduleNext(
  { rows, pollSeconds }: PollerParts,
  platform: Platform,
  waiting: readonly Waiting[],
): Promise<void> {
  const pace = paceOf(pollSeconds, platform.longestWaitSeconds);
  const [now, random] = [Date.now(), Math.random()];
  const groups = Map.groupBy(waiting, ({ task, failures }) => {
    const wait = waitSeconds(pace, (now - task.submit_ms) / 1000, failures, random);
    return `${Math.floor(now / 1000) + wait} ${failures}`;
  });
  for (const [key, list] of groups) {
    const [next_poll_at = 0, poll_failures = 0] = key.split(' ').map(Number);
    await rows.schedule(
      list.map(({ task }) => task.id),
      { next_poll_at, poll_failures },
    );
  }
}

function reasonToGiveUp(platform: Platform, task: Task, hasChannel: boolean): string | undefined {
  if (task.task_id === '') return factText('taskInterrupted');
  if (!hasChannel) return factText('taskChannelGone');
  return task.deadline_at <= Date.now() / 1000 ? platform.lateReason : undefined;
}
