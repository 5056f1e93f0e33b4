/** The attempts of a call on one time axis. */
import type { HedgeDetails } from './hedge.ts';
import type { Attempt } from './other.ts';

/** `cut`: an answer began and failed. `lost`: it was ended because another one at the same time was quicker. */
export type AttemptKind = 'refused' | 'silent' | 'cut' | 'answered' | 'lost';

export interface AttemptBar {
  channel: number;
  status: number;
  kind: AttemptKind;
  /** Why it failed, in the upstream's words. */
  error: string;
  /** Milliseconds from the start of the call. */
  start: number;
  /** When its first answer came, or it failed. */
  answered: number;
  end: number;
}

export interface Waterfall {
  bars: AttemptBar[];
  total: number;
  /** Milliseconds from the start; undefined when nothing was streamed. */
  firstToken: number | undefined;
}

function kindOf({ status, error, lost }: Attempt): AttemptKind {
  if (lost === true) return 'lost';
  if (status === 0) return 'silent';
  // A WebSocket answers with 101.
  const isAnswer = (status >= 200 && status <= 299) || status === 101;
  if (!isAnswer) return 'refused';
  return error === '' ? 'answered' : 'cut';
}

/** Whether the last attempt gave an answer to its end. */
export function hasSucceeded({ bars }: Pick<Waterfall, 'bars'>): boolean {
  return bars.at(-1)?.kind === 'answered';
}

export function waterfallOf(
  attempts: readonly Attempt[],
  seconds: number,
  firstTokenMilliseconds: number | undefined,
  hedge?: HedgeDetails,
): Waterfall {
  const bars: AttemptBar[] = [];
  let at = 0;
  // The two attempts of a hedged call are the last ones, at the same time: the second one began later than the first.
  const isBeside = (index: number): boolean =>
    hedge !== undefined && hedge.channel > 0 && attempts.length > 1 && index >= attempts.length - 2;
  let latest = 0;
  for (const [index, attempt] of attempts.entries()) {
    const { channel, status, milliseconds, error } = attempt;
    const start = isBeside(index) && channel === hedge?.channel ? at + hedge.after : at;
    const end = start + milliseconds;
    bars.push({ channel, status, kind: kindOf(attempt), error, start, answered: end, end });
    latest = Math.max(latest, end);
    if (!isBeside(index)) at = end;
  }
  at = latest;
  const last = bars.at(-1);
  // Old rows have whole seconds; the attempts have milliseconds, which take precedence.
  const total = Math.max(at, firstTokenMilliseconds ?? 0, seconds * 1000, 1);
  // A stream that broke off delivered until then.
  if (last?.kind === 'answered' || (last?.kind === 'cut' && firstTokenMilliseconds !== undefined)) {
    last.answered = Math.min(total, Math.max(last.start, firstTokenMilliseconds ?? last.answered));
    last.end = total;
  }
  return { bars, total, firstToken: firstTokenMilliseconds };
}

/** Retries are the attempts before the last one. */
export function retriesOf(attempts: readonly Attempt[] | undefined): number {
  return Math.max(0, (attempts?.filter(({ lost }) => lost !== true).length ?? 0) - 1);
}

/** How long a call took, as exactly as it is known. */
export const callSeconds = (useTimeSeconds: number, milliseconds: number | undefined): number =>
  milliseconds === undefined ? useTimeSeconds : milliseconds / 1000;

/** The duration of a call, as exactly as it is known. */
export function durationText(useTimeSeconds: number, milliseconds: number | undefined): string {
  return milliseconds === undefined ? String(useTimeSeconds) : secondsText(milliseconds);
}

export function secondsText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds >= 100) return String(Math.round(seconds));
  return seconds >= 10 ? seconds.toFixed(1) : seconds.toFixed(2);
}
