// Circuit breaker per channel (which has one key) and per model of it: consecutive failures, or one with a Retry-After, start a
// cool-down that grows each time; after it one trial call at a time is allowed, and the first success closes the breaker. A
// fault of one model, such as its rate limit, leaves the channel's other models alone. Models are known by the upstream's names, so
// that two names of callers for one model pause together. Also counts the calls on each channel.
import type { PauseCause } from '#contract/relay/channel-limits.ts';
import { createHeadroom, type Headroom, type UpstreamName } from './headroom.ts';

const FAILURES_BEFORE_COOLING = 5;
const FIRST_COOLDOWN_MILLISECONDS = 5_000;
const LONGEST_COOLDOWN_MILLISECONDS = 120_000;
/** A limit for which the upstream named the time; after that a trial call asks again. */
const LONGEST_LIMIT_MILLISECONDS = 300_000;
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
  cause: PauseCause;
}

interface ChannelState extends State {
  running: number;
  readonly models: Map<string, State>;
}

export interface Pause {
  /** The upstream's name; '': the whole channel. */
  readonly model: string;
  readonly cause: PauseCause;
  readonly seconds: number;
}

/** What failed, and for how long. */
export interface BreakerFailure {
  /** The upstream's Retry-After, 0 without one. */
  readonly retryAfterSeconds?: number;
  /** The fault is that of one model; undefined: of the channel, its key or its account. */
  readonly model?: string | undefined;
  /** The upstream limits calls. */
  readonly isLimit?: boolean;
  /** `failures` by default. */
  readonly cause?: PauseCause | undefined;
}

export interface Breaker {
  /** Whether a call of the model may go to the channel now. */
  admits(channelId: number, maxConcurrency: number, model?: string): boolean;
  /** A call starts on the channel; the caller of `begin` must call `end` exactly once. */
  begin(channelId: number, model?: string): void;
  end(channelId: number): void;
  /** Ends the pauses of channel and model, but no limit before its time. Without a model everything of the channel is open again. */
  succeeded(channelId: number, model?: string): void;
  failed(channelId: number, failure?: BreakerFailure): void;
  /** It is paused, or was and has answered no call since: the next call is a trial. */
  isDoubted(channelId: number, model: string): boolean;
  /** Seconds until a call may try the channel again; 0 when it is not cooling down. Without a model: the longest of its models. */
  coolingSeconds(channelId: number, model?: string): number;
  /** The same where the reason is a limit of the upstream; 0 for other reasons. */
  limitedSeconds(channelId: number, model: string): number;
  /** Why and how long no call goes to the channel: the pause of all of it, and those of its models. */
  pauses(channelId: number): Pause[];
  /** What the limits of upstreams leave. */
  readonly headroom: Headroom;
}

const closed = (): State => ({
  failures: 0,
  cooldowns: 0,
  openUntil: 0,
  probing: false,
  isLimited: false,
  cause: 'failures',
});

const isOpen = (state: State | undefined, now: number): boolean =>
  state === undefined || state.openUntil === 0 || (now >= state.openUntil && !state.probing);
const secondsLeft = (state: State | undefined, now: number): number =>
  Math.max(0, ((state?.openUntil ?? 0) - now) / 1000);
/** A call that began before the refusal says nothing about the limit. */
const isWaiting = (state: State | undefined, now: number): boolean =>
  state?.isLimited === true && now < state.openUntil;

function pauseFor(
  state: State,
  { retryAfterSeconds = 0, isLimit = false }: BreakerFailure,
  now: number,
): void {
  const longest = isLimit ? LONGEST_LIMIT_MILLISECONDS : LONGEST_COOLDOWN_MILLISECONDS;
  const namedUntil = now + Math.min(retryAfterSeconds * 1000, longest);
  const wasTrial = state.probing;
  state.probing = false;
  if (state.failures < FAILURES_BEFORE_COOLING && !wasTrial) {
    // The upstream named a time: calls before it would only fail again.
    if (retryAfterSeconds > 0) state.openUntil = namedUntil;
    return;
  }
  const doubled = FIRST_COOLDOWN_MILLISECONDS * 2 ** Math.min(state.cooldowns, 10);
  state.cooldowns += 1;
  state.openUntil = Math.max(now + Math.min(doubled, LONGEST_COOLDOWN_MILLISECONDS), namedUntil);
}

function pauseOf(model: string, state: State, now: number): Pause[] {
  const seconds = secondsLeft(state, now);
  return seconds > 0 ? [{ model, cause: state.cause, seconds }] : [];
}

function stateIn(states: Map<number, ChannelState>, channelId: number): ChannelState {
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

/** `upstreamName`: of a caller's name for a model. */
export function createBreaker(
  now: () => number = () => performance.now(),
  upstreamName: UpstreamName = (_channelId, model) => model,
): Breaker {
  const states = new Map<number, ChannelState>();
  const headroom = createHeadroom(now, upstreamName);

  const named = (channelId: number, { models }: ChannelState, model: string): State | undefined =>
    models.size === 0 ? undefined : models.get(upstreamName(channelId, model));

  return {
    headroom,
    admits(channelId, maxConcurrency, model = '') {
      const state = states.get(channelId);
      if (state === undefined) return true;
      if (maxConcurrency > 0 && state.running >= maxConcurrency) return false;
      const at = now();
      return isOpen(state, at) && isOpen(named(channelId, state, model), at);
    },
    begin(channelId, model = '') {
      const state = stateIn(states, channelId);
      state.running += 1;
      if (state.openUntil !== 0) state.probing = true;
      headroom.spend(channelId, model);
      const ofModel = named(channelId, state, model);
      if (ofModel !== undefined && ofModel.openUntil !== 0) ofModel.probing = true;
    },
    end(channelId) {
      const state = stateIn(states, channelId);
      state.running = Math.max(0, state.running - 1);
      // A trial call that neither failed nor succeeded (its caller left) frees the place for the next trial.
      state.probing = false;
      if (state.models.size > 0) for (const each of state.models.values()) each.probing = false;
    },
    succeeded(channelId, model) {
      const state = states.get(channelId);
      if (state === undefined) return;
      const isClosed = state.failures === 0 && state.openUntil === 0;
      if (!isClosed && (model === undefined || !isWaiting(state, now()))) Object.assign(state, closed());
      if (model === undefined) state.models.clear();
      else if (state.models.size > 0) {
        const name = upstreamName(channelId, model);
        if (!isWaiting(state.models.get(name), now())) state.models.delete(name);
      }
    },
    failed(channelId, failure = {}) {
      const { model, isLimit = false, cause = 'failures' } = failure;
      const channel = stateIn(states, channelId);
      const state = model === undefined ? channel : modelState(channel, upstreamName(channelId, model));
      state.failures += 1;
      state.isLimited = isLimit;
      state.cause = cause;
      pauseFor(state, failure, now());
    },
    isDoubted(channelId, model) {
      const state = states.get(channelId);
      if (state === undefined) return false;
      return state.openUntil !== 0 || (named(channelId, state, model)?.openUntil ?? 0) !== 0;
    },
    coolingSeconds(channelId, model) {
      const state = states.get(channelId);
      if (state === undefined) return 0;
      const models = model === undefined ? [...state.models.values()] : [named(channelId, state, model)];
      return Math.max(...[state, ...models].map((each) => secondsLeft(each, now())));
    },
    limitedSeconds(channelId, model) {
      const state = states.get(channelId);
      const limited = [state, state && named(channelId, state, model)].filter(
        (each) => each?.isLimited === true,
      );
      return Math.max(0, ...limited.map((each) => secondsLeft(each, now())));
    },
    pauses(channelId) {
      const state = states.get(channelId);
      if (state === undefined) return [];
      return [['', state] as const, ...state.models].flatMap(([model, each]) => pauseOf(model, each, now()));
    },
  };
}
