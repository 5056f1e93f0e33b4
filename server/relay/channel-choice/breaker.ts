// Circuit breaker per channel (which has one key) and per model of it: consecutive failures, or one with a Retry-After, start a
// cool-down that grows each time; after it one trial call at a time is allowed, and the first success closes the breaker. A
// fault of one model, such as its rate limit, leaves the channel's other models alone. Also counts the calls on each channel.

const FAILURES_BEFORE_COOLING = 5;
const FIRST_COOLDOWN_MILLISECONDS = 5_000;
const LONGEST_COOLDOWN_MILLISECONDS = 120_000;
/** Callers choose suffixes of names, so that one channel may see many. */
const MOST_MODELS = 1000;

interface State {
  failures: number;
  cooldowns: number;
  openUntil: number;
  /** A trial call is running. */
  probing: boolean;
  /** The last failure was the upstream's limit, not an outage. */
  isLimited: boolean;
}

interface ChannelState extends State {
  running: number;
  readonly models: Map<string, State>;
}

/** What failed, and for how long. */
export interface BreakerFailure {
  /** The upstream's Retry-After, 0 without one. */
  readonly retryAfterSeconds?: number;
  /** The fault is that of one model; undefined: of the channel, its key or its account. */
  readonly model?: string | undefined;
  /** The upstream limits calls. */
  readonly isLimit?: boolean;
}

export interface Breaker {
  /** Whether a call of the model may go to the channel now. */
  admits(channelId: number, maxConcurrency: number, model?: string): boolean;
  /** A call starts on the channel; the caller of `begin` must call `end` exactly once. */
  begin(channelId: number, model?: string): void;
  end(channelId: number): void;
  /** Without a model everything of the channel is open again. */
  succeeded(channelId: number, model?: string): void;
  failed(channelId: number, failure?: BreakerFailure): void;
  /** Seconds until a call may try the channel again; 0 when it is not cooling down. Without a model: the longest of its models. */
  coolingSeconds(channelId: number, model?: string): number;
  /** The same where the reason is a limit of the upstream; 0 for other reasons. */
  limitedSeconds(channelId: number, model: string): number;
}

const closed = (): State => ({
  failures: 0,
  cooldowns: 0,
  openUntil: 0,
  probing: false,
  isLimited: false,
});

export function createBreaker(now: () => number = () => performance.now()): Breaker {
  const states = new Map<number, ChannelState>();

  function stateOf(channelId: number): ChannelState {
    let state = states.get(channelId);
    if (state === undefined) states.set(channelId, (state = { ...closed(), running: 0, models: new Map() }));
    return state;
  }

  function modelState({ models }: ChannelState, model: string): State {
    let state = models.get(model);
    if (state === undefined) {
      const [oldest] = models.keys();
      if (models.size >= MOST_MODELS && oldest !== undefined) models.delete(oldest);
      models.set(model, (state = closed()));
    }
    return state;
  }

  const isOpen = (state: State | undefined): boolean =>
    state === undefined || state.openUntil === 0 || (now() >= state.openUntil && !state.probing);
  const secondsLeft = (state: State | undefined): number =>
    Math.max(0, ((state?.openUntil ?? 0) - now()) / 1000);

  return {
    admits(channelId, maxConcurrency, model = '') {
      const state = states.get(channelId);
      if (state === undefined) return true;
      if (maxConcurrency > 0 && state.running >= maxConcurrency) return false;
      return isOpen(state) && (state.models.size === 0 || isOpen(state.models.get(model)));
    },
    begin(channelId, model = '') {
      const state = stateOf(channelId);
      state.running += 1;
      if (state.openUntil !== 0) state.probing = true;
      const ofModel = state.models.size === 0 ? undefined : state.models.get(model);
      if (ofModel !== undefined && ofModel.openUntil !== 0) ofModel.probing = true;
    },
    end(channelId) {
      const state = stateOf(channelId);
      state.running = Math.max(0, state.running - 1);
      // A trial call that neither failed nor succeeded (its caller left) frees the place for the next trial.
      state.probing = false;
      if (state.models.size > 0) for (const each of state.models.values()) each.probing = false;
    },
    succeeded(channelId, model) {
      const state = states.get(channelId);
      if (state === undefined) return;
      if (state.failures > 0 || state.openUntil !== 0) Object.assign(state, closed());
      if (model === undefined) state.models.clear();
      else if (state.models.size > 0) state.models.delete(model);
    },
    failed(channelId, { retryAfterSeconds = 0, model, isLimit = false } = {}) {
      const channel = stateOf(channelId);
      const state = model === undefined ? channel : modelState(channel, model);
      state.failures += 1;
      state.isLimited = isLimit;
      const wasTrial = state.probing;
      state.probing = false;
      if (state.failures < FAILURES_BEFORE_COOLING && !wasTrial) {
        // The upstream named a time: calls before it would only fail again.
        if (retryAfterSeconds > 0)
          state.openUntil = now() + Math.min(retryAfterSeconds * 1000, LONGEST_COOLDOWN_MILLISECONDS);
        return;
      }
      const doubled = FIRST_COOLDOWN_MILLISECONDS * 2 ** Math.min(state.cooldowns, 10);
      const wanted = Math.max(doubled, retryAfterSeconds * 1000);
      state.cooldowns += 1;
      state.openUntil = now() + Math.min(wanted, LONGEST_COOLDOWN_MILLISECONDS);
    },
    coolingSeconds(channelId, model) {
      const state = states.get(channelId);
      if (state === undefined) return 0;
      const models = model === undefined ? [...state.models.values()] : [state.models.get(model)];
      return Math.max(secondsLeft(state), ...models.map(secondsLeft));
    },
    limitedSeconds(channelId, model) {
      const state = states.get(channelId);
      const limited = [state, state?.models.get(model)].filter((each) => each?.isLimited === true);
      return Math.max(0, ...limited.map(secondsLeft));
    },
  };
}
