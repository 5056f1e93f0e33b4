// Per-address limits of the API and of page loads: sliding windows in memory, bounded in size. A window is two counters
// (the current one and the last, weighted by its remaining share), so memory per address does not grow with the limit.
import { parseAddress } from '#contract/ip-address.ts';
import type { Settings } from '#contract/settings.ts';

export interface Limit {
  readonly most: number;
  readonly seconds: number;
}

export type LimitClass = 'api' | 'web' | 'critical' | 'guess' | 'search' | 'token';
export type LimitTable = Readonly<Record<LimitClass, Limit>>;

/** Calls by access token are looked up for so many times the calls of an address. */
const TOKEN_FACTOR = 20;

/** A limit of 0 is none. */
export function limitsOf(settings: LimitSettings): LimitTable {
  return {
    /** Every call of /api. */
    api: { most: settings.ApiCallsPerThreeMinutes, seconds: 180 },
    /** Page loads; assets do not count, because one cold start of the console loads many. */
    web: { most: settings.PageLoadsPerThreeMinutes, seconds: 180 },
    /** Sign-up, mails with codes and links, payments, revealed keys. */
    critical: { most: settings.SensitiveCallsPerTwentyMinutes, seconds: 1200 },
    /** Sign-in and everything else where a secret can be guessed; what succeeds does not count. */
    guess: { most: settings.FailedSignInsPerTwentyMinutes, seconds: 1200 },
    /** Searches of a user: every pause while typing is a call. */
    search: { most: settings.SearchesPerMinute, seconds: 60 },
    /** Calls over the general limit that carry an access token, which may be the super admin's. */
    token: { most: settings.ApiCallsPerThreeMinutes * TOKEN_FACTOR, seconds: 180 },
  };
}

type LimitSettings = Pick<
  Settings,
  | 'ApiCallsPerThreeMinutes'
  | 'PageLoadsPerThreeMinutes'
  | 'SensitiveCallsPerTwentyMinutes'
  | 'FailedSignInsPerTwentyMinutes'
  | 'SearchesPerMinute'
>;

export interface Limiter {
  /** Counts one call. 0: allowed; otherwise the seconds until the next can be. */
  take(limit: LimitClass, address: string): number;
  /** Removes the count of one call. */
  giveBack(limit: LimitClass, address: string): void;
}

interface Window {
  start: number;
  count: number;
  before: number;
}

const MOST_ADDRESSES = 50_000;

/** `table` is asked for every call: the limits are settings. */
export function createLimiter(table: () => LimitTable, now: () => number = () => Date.now() / 1000): Limiter {
  const windows = new Map<string, Window>();

  function windowOf(key: string, seconds: number, time: number): Window {
    const start = Math.floor(time / seconds) * seconds;
    const known = windows.get(key);
    if (known) {
      // Re-inserted: the map is ordered by last use, and the oldest is evicted first.
      windows.delete(key);
      windows.set(key, known);
      if (known.start !== start) {
        known.before = known.start === start - seconds ? known.count : 0;
        known.count = 0;
        known.start = start;
      }
      return known;
    }
    const fresh = { start, count: 0, before: 0 };
    windows.set(key, fresh);
    if (windows.size > MOST_ADDRESSES) {
      const oldest = windows.keys().next();
      if (!oldest.done) windows.delete(oldest.value);
    }
    return fresh;
  }

  return {
    take(limit, address) {
      const { most, seconds } = table()[limit];
      if (most === 0) return 0;
      const time = now();
      const window = windowOf(keyOf(limit, address), seconds, time);
      const elapsed = time - window.start;
      const weighted = window.count + window.before * (1 - elapsed / seconds);
      if (weighted + 1 <= most) {
        window.count += 1;
        return 0;
      }
      return Math.max(1, Math.ceil(secondsUntilFree(window, most, seconds, elapsed)));
    },
    giveBack(limit, address) {
      const window = windows.get(keyOf(limit, address));
      if (!window) return;
      if (window.count > 0) window.count -= 1;
      else if (window.before > 0) window.before -= 1;
    },
  };
}

/** Seconds until the weighted count allows one more call. */
function secondsUntilFree(window: Window, most: number, seconds: number, elapsed: number): number {
  const room = most - 1;
  if (window.count <= room && window.before > 0)
    return seconds * (1 - (room - window.count) / window.before) - elapsed;
  // The current window is full: wait for the next one, and then until enough of this one no longer counts.
  return seconds - elapsed + seconds * (1 - room / window.count);
}

const keyOf = (limit: LimitClass, address: string) => `${limit} ${networkOf(address)}`;

/** IPv6 addresses are counted by /64, because one subscriber has at least that. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed || !('parts' in parsed)) return address;
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
