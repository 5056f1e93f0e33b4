// Starts jobs when they are due. A job never overlaps with itself: on this node its next run is timed from the end of the
// last, and a cluster job needs the lease in the database. A failing job waits longer each time, at most a minute or its own
// interval.
import type { Log } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import { wordsIn } from '#contract/facts.ts';
import type { JobView } from '#contract/operating/jobs.ts';
import type { Text } from '#contract/language.ts';
import type { Store } from '#server/platform/store/store.ts';
import { checkJobs, everySecondsOf, type Job } from './job.ts';
import { jobRows, type Claim, type RunResult } from './rows.ts';
import { runJob } from './run.ts';
import { delayMs, longestMs, scheduleOf, type ScheduledJob } from './scheduled-job.ts';
import { jobViews } from './view.ts';

export interface Scheduler {
  start(): void;
  /** Runs a job of this node soon instead of at its next turn; if it is running, once more when that run has ended. */
  wake(name: string, afterMs?: number): void;
  /** Resolves once the run has begun. Refuses an unknown name, and a job that runs already. */
  runNow(name: string): Promise<void>;
  list(): Promise<JobView[]>;
  /** No run starts from now on; running ones are asked to end and awaited for a bounded time. */
  stop(): Promise<void>;
}

export interface JobFailure {
  job: string;
  title: Text;
  /** Failed runs since the last success. */
  failures: number;
  error: string;
}

export interface SchedulerOptions {
  store: Store;
  nodeId: string;
  log: Log;
  jobs: readonly Job[];
  /** Called after each failed run of a job that has failed before; errors are logged. */
  onRepeatedFailure?: (failure: JobFailure) => Promise<void>;
  /** A cluster job whose node died is taken over after this long. Default 30. */
  leaseSeconds?: number;
}

const OFF_CHECK_MS = 60_000;
/** Node jobs run every few seconds: their rows are written this often, and when a run fails or succeeds again. */
const NOTE_EVERY_MS = 60_000;
const STOP_PATIENCE_MS = 5000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createScheduler({
  store,
  nodeId,
  log,
  jobs,
  leaseSeconds = 30,
  onRepeatedFailure,
}: SchedulerOptions): Scheduler {
  checkJobs(jobs);
  const rows = jobRows(store, nodeId);
  const leaseMs = leaseSeconds * 1000;
  const entries = new Map(jobs.map((job) => [job.name, scheduleOf(job)]));
  let isStopped = false;

  function schedule(entry: ScheduledJob, delayMs: number): void {
    clearTimeout(entry.timer);
    if (isStopped) return;
    const delay = Math.min(delayMs, LONGEST_TIMER_MS);
    entry.timerAt = performance.now() + delay;
    entry.timer = setTimeout(() => void turn(entry, false), delay);
    entry.timer.unref();
  }

  async function turn(entry: ScheduledJob, isForced: boolean): Promise<void> {
    if (everySecondsOf(entry.job) === 0) return schedule(entry, OFF_CHECK_MS);
    try {
      const outcome = await begin(entry, isForced);
      // A run schedules the next one when it ends. One by hand that is still asking for its lease may be refused.
      if (outcome === 'begun') return;
      if (outcome === 'busy') return schedule(entry, delayMs(entry.job, entry.failures));
      const waitMs = await rows.waitMs(entry.job.name, longestMs(entry.job));
      schedule(entry, waitMs + Math.random() * 1000);
    } catch (error) {
      entry.failures += 1;
      if (!isStopped) log.error('a job could not be started', { job: entry.job.name, error });
      schedule(entry, delayMs(entry.job, entry.failures));
    }
  }

  /** `busy`: the job runs here. `refused`: another node holds its lease, or it is not due. */
  async function begin(entry: ScheduledJob, isForced: boolean): Promise<'begun' | 'busy' | 'refused'> {
    if (entry.work !== undefined || isStopped) return 'busy';
    const begun = Promise.withResolvers<boolean>();
    entry.work = claimAndRun(entry, isForced, begun).finally(() => {
      entry.work = undefined;
    });
    return (await begun.promise) ? 'begun' : 'refused';
  }

  async function claimAndRun(
    entry: ScheduledJob,
    isForced: boolean,
    begun: PromiseWithResolvers<boolean>,
  ): Promise<void> {
    const { job } = entry;
    try {
      const options = { leaseMs, longestMs: longestMs(job), isForced };
      const claim = job.lease === 'cluster' ? await rows.take(job.name, options) : null;
      begun.resolve(claim !== undefined);
      if (claim === undefined) return;
      // Stopped while the lease was taken: another node may run the job at once.
      if (isStopped && claim !== null) await rows.renew(job.name, claim.fence, 0);
      else await run(entry, claim);
    } catch (error) {
      begun.reject(error);
    }
  }

  /** Never throws. */
  async function run(entry: ScheduledJob, claim: Claim | null): Promise<void> {
    const { job } = entry;
    entry.controller = new AbortController();
    entry.startedMs = Date.now();
    entry.isWanted = false;
    const renew = claim === null ? undefined : () => rows.renew(job.name, claim.fence, leaseMs);
    const { controller } = entry;
    const { durationMs, error } = await runJob(job, { controller, leaseMs, renew });
    const before = claim?.failures ?? entry.failures;
    // What a run throws because it was asked to end is no failure.
    const hasFailed = error !== '' && !controller.signal.aborted;
    const failures = hasFailed ? before + 1 : 0;
    if (controller.signal.aborted && !isStopped) log.warn('a job lost its lease', { job: job.name });
    if (hasFailed) log.error('a job failed', { job: job.name, error: wordsIn('en', error), failures });
    if (failures > 1) await report({ job: job.name, title: job.title, failures, error });
    else if (before > 0) log.info('a job succeeded again', { job: job.name, failures: before });
    const nextInMs = delayMs(job, failures);
    const result = { durationMs, error: hasFailed ? error : '', failures, nextInMs };
    entry.failures = failures;
    await write(entry, claim, result).catch((fault: unknown) => {
      if (!isStopped) log.error('the result of a job could not be written', { job: job.name, error: fault });
    });
    schedule(entry, entry.isWanted ? 0 : nextInMs);
  }

  async function report(failure: JobFailure): Promise<void> {
    await onRepeatedFailure?.(failure).catch((fault: unknown) => {
      if (!isStopped)
        log.error('the failure of a job could not be reported', { job: failure.job, error: fault });
    });
  }

  async function write(entry: ScheduledJob, claim: Claim | null, result: RunResult): Promise<void> {
    const { name } = entry.job;
    if (claim !== null) return await rows.finish(name, claim.fence, result);
    const wasFailing = (entry.last?.failures ?? 0) > 0;
    entry.last = { ...result, finishedMs: Date.now() };
    entry.unwrittenRuns += 1;
    const isNews = wasFailing !== result.failures > 0;
    if (isStopped || (!isNews && performance.now() - entry.writtenAt < NOTE_EVERY_MS)) return;
    const runs = entry.unwrittenRuns;
    await rows.note(name, runs, result);
    entry.unwrittenRuns -= runs;
    entry.writtenAt = performance.now();
  }

  return {
    start() {
      for (const entry of entries.values()) {
        if (entry.job.atStart === true) void turn(entry, true);
        else schedule(entry, Math.min(everySecondsOf(entry.job) || 60, 1 + Math.random() * 2) * 1000);
      }
    },
    wake(name, afterMs = 0) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      if (entry.work !== undefined) entry.isWanted = true;
      else if (entry.timerAt > performance.now() + afterMs) schedule(entry, afterMs);
    },
    async runNow(name) {
      const entry = entries.get(name);
      if (entry === undefined) throw new AppError('job_not_found', { name });
      if ((await begin(entry, true)) !== 'begun') throw new AppError('job_running');
    },
    async list() {
      return jobViews([...entries.values()], await rows.list(), {
        nodeId,
        hasOtherNodes: store.dialect === 'postgres',
      });
    },
    async stop() {
      isStopped = true;
      const works = [...entries.values()].flatMap((entry) => {
        clearTimeout(entry.timer);
        entry.controller.abort();
        return entry.work ?? [];
      });
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, STOP_PATIENCE_MS);
      await Promise.race([Promise.all(works), late.promise]);
      clearTimeout(timer);
    },
  };
}
