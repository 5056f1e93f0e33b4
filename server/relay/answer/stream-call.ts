// The money side of a streamed call: extends the hold while output flows, leaves checkpoints, and settles at the end for
// what the upstream reported or, failing that, for what was delivered.
import { reportComment } from '#server/relay/caller/response.ts';
import type { AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { AskedCall } from '#server/relay/money/asked-for.ts';
import type { Conclusion } from './carrier.ts';
import { observeStream, streamTexts } from './observe.ts';
import { withoutQuotes } from '#server/relay/errors/quotes.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import type { LiveStream, LiveStreams } from './live-streams.ts';
import type { Log } from '#contract/context.ts';
import { type Ledger, LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import { operatorText } from '#server/models/providers/operator-text.ts';
import type { ChannelHealth } from '#server/relay/channel-choice/channel-health.ts';
import type { Breaker } from '#server/relay/channel-choice/breaker.ts';
import {
  boughtCall,
  estimatedUsage,
  quotaError,
  releaseCall,
  reportedUsage,
  settleCall,
  type SettlingServices,
  withHidden,
  withUnreported,
} from '#server/relay/money/settlement.ts';
import {
  EventStream,
  type StreamEnding,
  type StreamOwner,
  type StreamParts,
  type StreamResult,
} from './event-stream.ts';

/** What a streamed call needs of the process. */
export interface StreamServices extends SettlingServices {
  readonly streams: LiveStreams;
  readonly ledger: Ledger;
  readonly breaker: Breaker;
  readonly health: ChannelHealth;
  readonly log: Log;
  readonly observer?: AnswerObserver;
  /** 0 = never. */
  readonly heartbeatSeconds: number;
}

export class CallStream implements StreamOwner, LiveStream {
  readonly events: EventStream;
  placeInSet = -1;
  #silentSince = performance.now();
  #checkpointAt = this.#silentSince;
  #checkpointTokens = 0;
  readonly #services: StreamServices;
  readonly #call: RunningCall;
  readonly #parts: StreamParts;
  #visitedTokens = 0;
  /** Why the caller may no longer call. */
  #refusal: RelayError | undefined;

  constructor(services: StreamServices, call: RunningCall, parts: StreamParts) {
    this.#services = services;
    this.#call = call;
    this.#parts = parts;
    this.events = new EventStream(parts, this);
  }

  get caller(): RunningCall['caller'] {
    return this.#call.caller;
  }

  /** The first event has come: from now on the stream is visited. */
  begun(): boolean {
    if (this.#call.race?.claim(this.#call) === false) return false;
    this.#services.streams.add(this);
    if (this.#call.isNoted) return true;
    this.#call.isNoted = true;
    this.#services.ledger.dispatched(this.#call.hold.call);
    return true;
  }

  /** A silent stream gets a heartbeat and a larger hold, a long one leaves a checkpoint. */
  visit(now: number): void {
    const { events } = this;
    const isHidden = events.deliveredTokens === this.#visitedTokens || events.isThinking;
    this.#visitedTokens = events.deliveredTokens;
    if (this.#call.cover?.visit(now, isHidden) === true) events.checkCover();
    const { heartbeatSeconds } = this.#services;
    if (events.hasWritten) {
      events.hasWritten = false;
      this.#silentSince = now;
    } else if (heartbeatSeconds > 0 && now - this.#silentSince >= heartbeatSeconds * 1000) events.heartbeat();
    if (now - this.#checkpointAt < CHECKPOINT_MILLISECONDS) return;
    this.#checkpointAt = now;
    const { deliveredTokens } = events;
    if (deliveredTokens === this.#checkpointTokens) return;
    this.#checkpointTokens = deliveredTokens;
    this.#checkpoint(deliveredTokens);
  }

  revoke(refusal: RelayError): void {
    this.#refusal ??= refusal;
    this.events.finish('revoked');
  }

  #checkpoint(deliveredTokens: number): void {
    const { hold, prepared, record } = this.#call;
    this.#services.ledger.dispatched(hold.call, {
      quota: cappedChargeOf(this.#call.price, this.#usageAt(deliveredTokens)),
      promptTokens: prepared.estimate.promptTokens,
      completionTokens: deliveredTokens,
      channelId: record.channelId,
      cost:
        this.#services.costs?.costOf(boughtCall(record), estimatedUsage(this.#call, deliveredTokens)) ?? null,
    });
  }

  covers(deliveredTokens: number, reported: CanonicalUsage | undefined): boolean | Promise<boolean> {
    return this.#call.cover?.covers(deliveredTokens, reported) ?? true;
  }

  async conclude(result: StreamResult): Promise<Conclusion> {
    this.#services.streams.remove(this);
    this.#services.breaker.end(this.#call.record.channelId);
    this.#countAttempt(result);
    if (this.#parts.kept !== undefined)
      observeStream(this.#services.observer, this.#call, this.#parts, result);
    return await concludeStream(this.#services, this.#call, result, this.#refusal);
  }

  closed(): void {
    const { copy, prepared } = this.#call;
    const { kept } = this.#parts;
    copy?.ended(kept && streamTexts(prepared.endpoint.format, kept));
  }

  /** An end for which the caller or the balance is the reason is no failure of the channel. */
  #countAttempt({ ending, firstEventAt, words }: StreamResult): void {
    const { record, requestId, prepared } = this.#call;
    const { attemptedAt, key } = this.#parts;
    const firstTokenMilliseconds = firstEventAt - attemptedAt;
    const { health } = this.#services;
    if (!isBroken(ending)) return health.streamed(record.channelId, firstTokenMilliseconds);
    const shown = words === '' ? '' : withoutQuotes(operatorText(words, key), promptTexts(prepared.fields));
    const said = shown === '' ? '' : `: ${shown}`;
    const failure = { requestId, words: `stream ${ending}${said}` };
    const attempt = record.attempts.at(-1);
    if (attempt !== undefined) attempt.error = failure.words;
    health.streamed(record.channelId, firstTokenMilliseconds, failure);
  }

  #usageAt(deliveredTokens: number): Usage {
    return withFees(this.#call.price, estimatedUsage(this.#call, deliveredTokens));
  }
}

/** The upstream did not send its answer to the end. */
const isBroken = (ending: StreamEnding): boolean =>
  ending === 'broken' || ending === 'timeout' || ending === 'error';

const CHECKPOINT_MILLISECONDS = 2000;

async function concludeStream(
  services: StreamServices,
  call: RunningCall,
  result: StreamResult,
  refusal: RelayError | undefined,
): Promise<Conclusion> {
  const { ending, deliveredTokens } = result;
  const problem = ending === 'revoked' ? refusal : streamProblem(result);
  try {
    const { usage: reported, doubts } = reportedUsage(
      askedOf(call, deliveredTokens),
      result.usage,
      () => deliveredTokens,
    );
    if (reported === undefined && deliveredTokens === 0 && isBroken(ending)) {
      await releaseCall(services, call, `stream ${ending}`);
      return { problem, estimated: undefined, comment: '' };
    }
    const counted =
      reported === undefined
        ? estimatedUsage(call, deliveredTokens)
        : withUnreported(reported, result.unreportedTokens, deliveredTokens);
    const usage = ending === 'quota' ? withHidden(counted, call.cover, deliveredTokens) : counted;
    const isEstimated = usage !== reported;
    const settlement = await settleCall(services, call, {
      usage,
      estimated: isEstimated && !call.prepared.estimate.isExact,
      firstTokenMilliseconds: result.firstEventAt - call.startedAt,
      ending: ending === 'complete' ? '' : ending,
      doubts,
    });
    return {
      problem,
      estimated: isEstimated ? usage : undefined,
      comment: call.wantsReport && problem === undefined ? reportComment(settlement) : '',
      exact: ending === 'complete' && !isEstimated && doubts.length === 0 ? usage : undefined,
    };
  } catch (error) {
    services.log.error('a stream could not be settled', { request_id: call.requestId, error });
    const code = error instanceof LedgerUnavailableError ? 'unavailable' : 'internal';
    return { problem: new RelayError(code), estimated: undefined, comment: '' };
  }
}

function askedOf(
  { prepared, record, channel, limits, cover }: RunningCall,
  deliveredTokens: number,
): AskedCall {
  const hiddenTokens = cover?.believableTokens(deliveredTokens, performance.now());
  return { prepared, record, channel, limits, hiddenTokens };
}

function streamProblem({ ending }: StreamResult): RelayError | undefined {
  switch (ending) {
    case 'broken':
    case 'error':
      return new RelayError('stream_broken');
    case 'timeout':
      return new RelayError('upstream_timeout');
    case 'quota':
      return quotaError();
    case 'unavailable':
      return new RelayError('unavailable');
    default:
      return undefined;
  }
}
