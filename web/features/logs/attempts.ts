/** The attempts of a call on one time axis. */
import type { Attempt } from './other.ts';

export type AttemptKind = 'refused' | 'silent' | 'answered';

export interface AttemptBar {
  channel: number;
  status: number;
  kind: AttemptKind;
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

export function waterfallOf(
  attempts: readonly Attempt[],
  useTimeSeconds: number,
  firstTokenMilliseconds: number | undefined,
): Waterfall {
  const bars: AttemptBar[] = [];
  let at = 0;
  for (const { channel, status, milliseconds } of attempts) {
    const end = at + milliseconds;
    const kind = status >= 200 && status <= 299 ? 'answered' : status === 0 ? 'silent' : 'refused';
    bars.push({ channel, status, kind, start: at, answered: end, end });
    at = end;
  }
  const last = bars.at(-1);
  // The row has whole seconds; the attempts have milliseconds, which take precedence.
  const total = Math.max(at, firstTokenMilliseconds ?? 0, useTimeSeconds * 1000, 1);
  if (last?.kind === 'answered') {
    last.answered = Math.min(total, Math.max(last.start, firstTokenMilliseconds ?? last.answered));
    last.end = total;
  }
  return { bars, total, firstToken: firstTokenMilliseconds };
}

/** Retries are the attempts before the last one. */
export function retriesOf(attempts: readonly Attempt[] | undefined): number {
  return Math.max(0, (attempts?.length ?? 0) - 1);
}

export function secondsText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds >= 100) return String(Math.round(seconds));
  return seconds >= 10 ? seconds.toFixed(1) : seconds.toFixed(2);
}
