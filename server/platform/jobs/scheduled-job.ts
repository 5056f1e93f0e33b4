// A job on this node: its timer, its run, and how long it waits.
import { everySecondsOf, type Job } from './job.ts';
import type { RunResult } from './rows.ts';

/** A job and what this node knows of it. */
export interface ScheduledJob {
  readonly job: Job;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer fires, by `performance.now()`. */
  timerAt: number;
  /** Taking the lease and the run. */
  work: Promise<void> | undefined;
  controller: AbortController;
  startedMs: number;
  /** `wake` was called during the run. */
  isWanted: boolean;
  failures: number;
  /** Of a node job: the last run here, and the runs that its row does not count yet. */
  last: (RunResult & { finishedMs: number }) | undefined;
  unwrittenRuns: number;
  writtenAt: number;
}

/** A failing job is tried at least this often, unless its own interval is longer. */
const LONGEST_BACKOFF_SECONDS = 60;

export function scheduleOf(job: Job): ScheduledJob {
  return {
    job,
    timer: undefined,
    timerAt: Infinity,
    work: undefined,
    controller: new AbortController(),
    startedMs: 0,
    isWanted: false,
    failures: 0,
    last: undefined,
    unwrittenRuns: 0,
    writtenAt: -Infinity,
  };
}

/** Never longer than the interval, so that a heartbeat is never late; a little shorter, so that nodes do not run in step. */
export function delayMs(job: Job, failures: number): number {
  const seconds = Math.min(everySecondsOf(job) * 2 ** failures, longestMs(job) / 1000);
  return seconds * 1000 * (0.9 + Math.random() * 0.1);
}

export function longestMs(job: Job): number {
  return Math.max(everySecondsOf(job), LONGEST_BACKOFF_SECONDS) * 1000;
}
