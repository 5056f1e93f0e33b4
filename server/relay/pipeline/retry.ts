// The rule of another try, the same for every way out: when a call may be asked of another channel, which one that is, and
// what a failure says about the channel it came from. A call that works the first time passes `beginAttempt` only.
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from './core.ts';
import {
  describeFailure,
  isChannelFault,
  mayRetry,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';
import { selectChannel, type Wanted } from '#server/relay/channels/select.ts';

/** The channel's turn: it is what the record names from now on, and it gets no second one in this call. */
export function beginAttempt(record: CallRecord, channel: Channel, tried: number[]): void {
  tried.push(channel.id);
  record.channelId = channel.id;
  record.channelName = channel.name;
}

/** Where a call of a model goes after a failure; undefined: the failure is the answer. */
export function retryChannel(
  core: Core,
  { caller, prepared }: RunningCall,
  failure: UpstreamFailure,
  tried: readonly number[],
): Channel | undefined {
  // What only one channel can go on with is asked of no other.
  if (prepared.affinity?.isRequired === true) return undefined;
  return anotherChannel(core, caller, prepared, failure, tried);
}

/** Counted as busy from now on, as the first one was. */
export function anotherChannel(
  core: Core,
  caller: Caller,
  wanted: Wanted,
  failure: UpstreamFailure,
  tried: readonly number[],
): Channel | undefined {
  if (caller.channelId !== undefined || !mayRetry(failure)) return undefined;
  // The first try is no retry.
  if (tried.length > core.settings.current.RetryTimes) return undefined;
  const tiers = core.catalog.current.tiers(caller.group, wanted.model);
  const selection = selectChannel(tiers, tried, core.breaker, wanted);
  if (!('channel' in selection)) return undefined;
  core.breaker.begin(selection.channel.id);
  return selection.channel;
}

/** `requestText` is what the caller sent: an upstream may only have repeated it. */
export function noteFailure(
  core: Core,
  requestId: string,
  channel: Channel,
  failure: UpstreamFailure,
  requestText: () => string,
): void {
  if (!isChannelFault(failure)) return;
  core.breaker.failed(channel.id, failure.retryAfterSeconds);
  core.guard.failed(channel, failure, requestText);
  core.log.warn('an upstream failed', {
    request_id: requestId,
    channel_id: channel.id,
    failure: describeFailure(failure),
    upstream_message:
      typeof failure.error['message'] === 'string' ? failure.error['message'].slice(0, 500) : '',
  });
}
