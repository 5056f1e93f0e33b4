// What limits of upstreams do to a channel now, for those who look at it: the console, the simulator and /metrics.
import type { ChannelLimits } from '#contract/relay/channel-limits.ts';
import type { Breaker, Pause } from './breaker.ts';
import { limitedName, type Channel } from './catalog.ts';
import type { LeftOfLimit } from './headroom.ts';

export interface ModelStanding {
  /** Undefined: calls are sent. */
  readonly pause: Pause | undefined;
  /** A limit is known to be used up: it gets calls that no other channel can serve. */
  readonly isEmpty: boolean;
  /** The part of its calls that it gets while less than half of its limits is left. */
  readonly share: number;
}

export function standingOf(
  breaker: Breaker,
  channel: Channel | undefined,
  channelId: number,
  model: string,
): ModelStanding {
  const name = limitedName(channel, model);
  const { headroom } = breaker;
  const own = breaker.pauses(channelId).filter((each) => each.model === '' || each.model === name);
  const [pause] = own.toSorted((left, right) => right.seconds - left.seconds);
  return { pause, isEmpty: headroom.isEmpty(channelId, model), share: headroom.share(channelId, model) };
}

/** `nowSeconds`: of the clock that the reader has. */
export function limitsOf(breaker: Breaker, channelId: number, nowSeconds: number): ChannelLimits {
  const at = (seconds: number): number => Math.ceil(nowSeconds + seconds);
  const shown = (limit: LeftOfLimit | undefined) =>
    limit === undefined ? null : { left: limit.left, limit: limit.limit, reset_at: at(limit.resetSeconds) };
  return {
    pauses: breaker
      .pauses(channelId)
      .map(({ model, cause, seconds }) => ({ model, cause, until: at(seconds) })),
    left: breaker.headroom
      .of(channelId)
      .map(({ model, requests, tokens }) => ({ model, requests: shown(requests), tokens: shown(tokens) })),
  };
}
