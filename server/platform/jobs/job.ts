// What a job is: work that runs by time. The list of jobs is server/app/jobs/index.ts.
import type { JobLease } from '#contract/operating/jobs.ts';
import type { Text } from '#contract/language.ts';

export interface Job {
  /** Lower case with dashes; names its rows in the table `jobs`, so it never changes. */
  readonly name: string;
  readonly title: Text;
  /** One sentence for the operator. */
  readonly description: Text;
  /** The question before a run by hand, where that run costs something. */
  readonly warning?: Text;
  /** Seconds from the end of one run to the start of the next; 0: it runs only by hand. */
  readonly everySeconds: number | (() => number);
  /** `cluster`: one run at a time on all nodes together. `node`: each node runs it for itself. */
  readonly lease: JobLease;
  /** Runs at once when a node starts, even when another node ran it a moment ago. */
  readonly atStart?: true;
  /**
   * Resolves when the run is over; throws when it failed. The signal is aborted when the node stops or has lost the lease:
   * a long run then ends after the step it is in. A step that must not happen twice claims its own row besides.
   */
  run(signal: AbortSignal): Promise<void>;
}

export function everySecondsOf({ everySeconds }: Job): number {
  return typeof everySeconds === 'number' ? everySeconds : everySeconds();
}

/** Refuses a list that could not run as it is written. */
export function checkJobs(jobs: readonly Job[]): void {
  const names = new Set<string>();
  for (const job of jobs) {
    const { name } = job;
    if (!/^[a-z][a-z-]*$/.test(name)) throw new Error(`"${name}" is no name for a job`);
    if (names.has(name)) throw new Error(`two jobs are named ${name}`);
    if (typeof job.run !== 'function') throw new Error(`the job ${name} has no handler`);
    names.add(name);
  }
}
