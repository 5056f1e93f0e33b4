// Circuit breaker per channel: consecutive failures, or one with a Retry-After, start a cool-down that grows each time; after it one trial call at a
// time is allowed, and the first success closes the breaker. Also counts the calls running on each channel.

const failuresBeforeCooling = 5;
const firstCooldownMilliseconds = 5_000;
const longestCooldownMilliseconds = 120_000;

interface State {
  failures: number;
  cooldowns: number;
  openUntil: number;
  /** A trial call is running. */
  probing: boolean;
  running: number;
}

export interface Breaker {
  /** Whether a call may go to the channel now. */
  admits(channelId: number, maxConcurrency: number): boolean;
  /** A call starts on the channel; the caller of `begin` must call `end` exactly once. */
  begin(channelId: number): void;
  end(channelId: number): void;
  succeeded(channelId: number): void;
  /** `retryAfterSeconds`: the upstream's Retry-After, 0 without one. */
  failed(channelId: number, retryAfterSeconds?: number): void;
  /** Seconds until a call may try the channel again; 0 when it is not cooling down. */
  coolingSeconds(channelId: number): number;
}

export function createBreaker(now: () => number = () => performance.now()): Breaker {
  const states = new Map<number, State>();

  function stateOf(channelId: number): State {
    let state = states.get(channelId);
    if (state === undefined) {
      state = { failures: 0, cooldowns: 0, openUntil: 0, probing: false, running: 0 };
      states.set(channelId, state);
    }
    return state;
  }

  return {
    admits(channelId, maxConcurrency) {
      const state = states.get(channelId);
      if (state === undefined) return true;
      if (maxConcurrency > 0 && state.running >= maxConcurrency) return false;
      if (state.openUntil === 0) return true;
      return now() >= state.openUntil && !state.probing;
    },
    begin(channelId) {
      const state = stateOf(channelId);
      state.running += 1;
      if (state.openUntil !== 0) state.probing = true;
    },
    end(channelId) {
      const state = stateOf(channelId);
      state.running = Math.max(0, state.running - 1);
      // A trial call that neither failed nor succeeded (its caller left) frees the place for the next trial.
      state.probing = false;
    },
    succeeded(channelId) {
      const state = states.get(channelId);
      if (state === undefined || (state.failures === 0 && state.openUntil === 0)) return;
      state.failures = 0;
      state.cooldowns = 0;
      state.openUntil = 0;
      state.probing = false;
    },
    failed(channelId, retryAfterSeconds = 0) {
      const state = stateOf(channelId);
      state.failures += 1;
      const wasTrial = state.probing;
      state.probing = false;
      if (state.failures < failuresBeforeCooling && !wasTrial) {
        // The upstream named a time: calls before it would only fail again.
        if (retryAfterSeconds > 0)
          state.openUntil = now() + Math.min(retryAfterSeconds * 1000, longestCooldownMilliseconds);
        return;
      }
      const doubled = firstCooldownMilliseconds * 2 ** Math.min(state.cooldowns, 10);
      const wanted = Math.max(doubled, retryAfterSeconds * 1000);
      state.cooldowns += 1;
      state.openUntil = now() + Math.min(wanted, longestCooldownMilliseconds);
    },
    coolingSeconds: (channelId) => Math.max(0, ((states.get(channelId)?.openUntil ?? 0) - now()) / 1000),
  };
}
