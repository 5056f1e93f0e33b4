// The retry rule, the same for every kind of call: when a call may be sent to another channel, to which one, and how a
// failure counts for the channel it came from. A call that succeeds at the first attempt uses only `beginAttempt`.
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from './core.ts';
import {
  describeFailure,
  failureWords,
  isChannelFault,
  isFailedAttempt,
  mayRetry,
  upstreamWords,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { isLimit, isModelFault, limitOf } from '#server/relay/errors/failure-scope.ts';
import { withoutQuotes } from '#server/relay/errors/quotes.ts';
import { operatorText, withoutKey } from '#server/models/providers/operator-text.ts';
import { accountFault } from '#server/relay/channel-choice/channel-guard.ts';
import { servedModel, type CallRecord } from '#server/relay/money/log-row.ts';
import { selectChannel, type Wanted } from '#server/relay/channel-choice/select.ts';

/** Marks the channel as tried, so that the call does not use it again, and as the record's channel. */
export function beginAttempt(record: CallRecord, channel: Channel, tried: number[]): void {
  tried.push(channel.id);
  record.channelId = channel.id;
  record.channelName = channel.name;
}

/** The channel of the next attempt after a failure; undefined when the caller gets the failure. */
export function retryChannel(
  core: Core,
  { caller, prepared }: RunningCall,
  failure: UpstreamFailure,
  tried: readonly number[],
): Channel | undefined {
  // A call that only one channel can continue is not sent to another.
  if (prepared.affinity?.isRequired === true) return undefined;
  return anotherChannel(core, caller, prepared, failure, tried);
}

/** Counts the selected channel as busy, like the channel of the first attempt. */
export function anotherChannel(
  core: Core,
  caller: Caller,
  wanted: Wanted,
  failure: UpstreamFailure,
  tried: readonly number[],
): Channel | undefined {
  if (caller.channelId !== undefined || !mayRetry(failure)) return undefined;
  // The first attempt is no retry.
  if (tried.length > core.settings.current.RetryTimes) return undefined;
  const tiers = core.catalog.current.tiers(caller.group, wanted.model);
  const selection = selectChannel(core.orders.of(tiers, wanted.model), tried, core.breaker, wanted);
  if (!('channel' in selection)) return undefined;
  core.breaker.begin(selection.channel.id, wanted.model);
  return selection.channel;
}

/** A call whose attempt failed. */
export interface FailedCall {
  readonly requestId: string;
  readonly record: CallRecord;
  /** The caller's text: an upstream's error may only quote it, which must not disable the channel. */
  readonly requestText: () => string;
  /** The limits of such a request are not those of the model's calls. */
  readonly hasOwnLimits?: boolean | undefined;
  /** The texts in it that no log may repeat; all of it by default. */
  readonly promptTexts?: () => Iterable<string>;
}

/** An upstream may repeat its key in any field of its error, and the caller reads some of them. */
function withoutKeyIn(failure: UpstreamFailure, key: string): UpstreamFailure {
  const fields = Object.entries(failure.error).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutKey(value, key) : value,
  ]);
  return {
    ...failure,
    error: Object.fromEntries(fields) as UpstreamFailure['error'],
    ...(failure.text === undefined ? {} : { text: withoutKey(failure.text, key) }),
  };
}

/** Counts the failure for its channel, and returns it with the verdict whether the operator's account is at fault. */
export function noteFailure(
  core: Core,
  { requestId, record, requestText, hasOwnLimits, promptTexts = () => [requestText()] }: FailedCall,
  channel: Channel,
  given: UpstreamFailure,
): UpstreamFailure {
  if (given.kind === 'client_left') return given;
  const reason = accountFault(given, core.settings.current, requestText);
  const masked = withoutKeyIn(given, channel.key);
  const failure = reason === undefined ? masked : { ...masked, isAccountFault: true };
  const forOperators = (text: string) => withoutQuotes(operatorText(text, channel.key), promptTexts());
  const words = forOperators(failureWords(failure));
  const attempt = record.attempts.at(-1);
  if (attempt !== undefined) attempt.error = words;
  core.health.answered(channel.id, isFailedAttempt(failure) ? { requestId, words } : undefined);
  // Callers choose how long a model thinks: a target with little time must not be paused for those who wait.
  if (!isChannelFault(failure) || failure.isHurried === true) return failure;
  if (hasOwnLimits === true && isLimit(failure)) return failure;
  pause(core, channel, failure, record);
  if (reason !== undefined) core.guard.failed(channel, reason, forOperators(upstreamWords(failure)));
  core.log.warn('an upstream failed', {
    request_id: requestId,
    channel_id: channel.id,
    failure: describeFailure(failure),
    upstream_message: words,
  });
  return failure;
}

/** Of what the upstream limits or cannot do; a request that is too large for a limit pauses nothing. */
function pause({ breaker }: Core, { id }: Channel, failure: UpstreamFailure, record: CallRecord): void {
  const model = servedModel(record);
  const limit = limitOf(failure, record.upstreamModel);
  if (limit?.scope === 'request') return;
  const retryAfterSeconds = limit?.retryAfterSeconds ?? failure.retryAfterSeconds;
  breaker.failed(id, {
    retryAfterSeconds,
    model: isModelFault(failure, limit) ? model : undefined,
    isLimit: failure.status === 429,
    cause: limit?.cause,
  });
  if (limit?.isShared === true && retryAfterSeconds > 0)
    breaker.headroom.refused(id, model, retryAfterSeconds);
}
