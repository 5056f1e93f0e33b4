// The load generator's job and its result.
export interface LoadJob {
  url: string;
  path: string;
  key: string;
  /** In place of `key`: one for each connection in turn, so that the calls have different users. */
  keys?: readonly string[];
  body: string;
  connections: number;
  /** Stop after so many requests or seconds, whichever comes first. */
  requests?: number;
  seconds?: number;
  /**
   * Requests begin at this pace, independent of earlier answers, on up to `connections` connections; without it each
   * connection sends its next request when it has the answer to the last.
   */
  perSecond?: number;
  /** Close the connection after this event of each stream, and open a new one for the next. */
  abortAfterEvents?: number;
  /** At most this many connection attempts wait at a time; a listener's backlog is finite. */
  connectingAtOnce?: number;
}

export interface Spread {
  p50: number;
  p90: number;
  p99: number;
  mean: number;
}

export interface LoadResult {
  requests: number;
  aborted: number;
  /** Broken connections and incomplete answers. */
  errors: number;
  /** Answers by status; a status other than 200 needs an explanation. */
  statuses: Record<string, number>;
  /** How many of the answers other than 200 had Retry-After. */
  withRetryAfter: number;
  events: number;
  seconds: number;
  latencyMilliseconds: Spread;
  latencyByStatus: Record<string, Spread>;
  firstEventMilliseconds: Spread;
  /** Most streams that had received an event and not ended, at one time. */
  mostOpenStreams: number;
  firstError: string;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { p50: 0, p90: 0, p99: 0, mean: 0 };
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), mean };
}
