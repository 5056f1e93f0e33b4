// How long a task waits for the next question to its upstream.

/** The longest wait of tasks that take minutes. */
const USUAL_LONGEST_SECONDS = 60;
const PART_OF_AGE = 10;
/** Waits are shortened by up to this part, so that nodes and channels do not ask in step. */
const JITTER_PART = 0.2;
const MOST_DOUBLINGS = 16;

export interface Pace {
  readonly shortestSeconds: number;
  readonly longestSeconds: number;
}

/** The configured interval may be longer than the usual longest wait. */
export const paceOf = (shortestSeconds: number, longestSeconds = USUAL_LONGEST_SECONDS): Pace => ({
  shortestSeconds,
  longestSeconds: Math.max(shortestSeconds, longestSeconds),
});

/**
 * A tenth of the task's age, doubled for each question in a row that failed. The wait grows in steps that double: tasks of one
 * channel that were asked for together stay together, in one request. `random` is from 0 to 1.
 */
export function waitSeconds(
  { shortestSeconds, longestSeconds }: Pace,
  ageSeconds: number,
  failures: number,
  random: number,
): number {
  let wait = shortestSeconds;
  while (wait < longestSeconds && wait * 2 <= ageSeconds / PART_OF_AGE) wait *= 2;
  const slowed = Math.min(longestSeconds, wait * 2 ** Math.min(failures, MOST_DOUBLINGS));
  return Math.max(1, Math.round(slowed * (1 - JITTER_PART * random)));
}
