// The money side of a streamed call: extends the hold while output flows, leaves checkpoints, and settles at the end for
// what the upstream reported or, failing that, for what was delivered.
import { reportComment } from '#server/relay/caller/answer-headers.ts';
import type { AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { cappedChargeOf, largestChargeOf } from '#server/billing/charge.ts';
import { withFees } from '#server/billing/tiers.ts';
import type { Usage } from '#server/billing/usage.ts';
import { streamSliceTokens } from '#server/relay/money/admission.ts';
import type { Conclusion } from './carrier.ts';
import { observeStream } from './observe.ts';
import { withoutQuotes } from '#server/relay/errors/quotes.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import type { LiveStream, LiveStreams } from './live-streams.ts';
import type { Log } from '#contract/context.ts';
import { type Ledger, LedgerUnavailableError } from '#server/billing/ledger.ts';
import { operatorText } from '#server/providers/operator-text.ts';
import type { ChannelHealth } from '#server/relay/channels/channel-health.ts';
import type { Breaker } from '#server/relay/channels/breaker.ts';
import {
  estimatedUsage,
  releaseCall,
  reportedUsage,
  settleCall,
  type SettlingServices,
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
  rosterPlace = -1;
  #silentSince = performance.now();
  #checkpointAt = this.#silentSince;
  #checkpointTokens = 0;
  readonly #services: StreamServices;
  readonly #call: RunningCall;
  readonly #parts: StreamParts;
  #nextSlice = streamSliceTokens;

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
  begun(): void {
    this.#services.streams.add(this);
    if (this.#call.isNoted) return;
    this.#call.isNoted = true;
    this.#services.ledger.dispatched(this.#call.hold.call);
  }

  /** A silent stream gets a heartbeat, a long one leaves a checkpoint. */
  visit(now: number): void {
    const { events } = this;
    const { heartbeatSeconds } = this.#services;
    if (events.hasWritten) {
      events.hasWritten = false;
      this.#silentSince = now;
    } else if (heartbeatSeconds > 0 && now - this.#silentSince >= heartbeatSeconds * 1000) events.heartbeat();
    if (now - this.#checkpointAt < checkpointMilliseconds) return;
    this.#checkpointAt = now;
    const { deliveredTokens } = events;
    if (deliveredTokens === this.#checkpointTokens) return;
    this.#checkpointTokens = deliveredTokens;
    this.#checkpoint(deliveredTokens);
  }

  revoke(): void {
    this.events.finish('revoked');
  }

  #checkpoint(deliveredTokens: number): void {
    const { hold, prepared, record } = this.#call;
    this.#services.ledger.dispatched(hold.call, {
      quota: cappedChargeOf(this.#call.price, this.#usageAt(deliveredTokens)),
      promptTokens: prepared.estimate.promptTokens,
      completionTokens: deliveredTokens,
      channelId: record.channelId,
      cost: this.#services.costs?.costOf(record, estimatedUsage(this.#call, deliveredTokens)) ?? null,
    });
  }

  async covers(deliveredTokens: number): Promise<boolean> {
    // Half a slice ahead, so that the hold also covers what arrives until the next check.
    if (this.#costOf(deliveredTokens + this.#nextSlice / 2) <= this.#call.hold.amount) return true;
    return await this.#extend(deliveredTokens);
  }

  /** A large step where the balance allows it, smaller ones near its end: the caller gets what the balance pays for. */
  async #extend(deliveredTokens: number): Promise<boolean> {
    const { hold } = this.#call;
    this.#nextSlice = Math.min(this.#nextSlice * 2, longestSliceTokens);
    for (const ahead of [this.#nextSlice, streamSliceTokens / 2, lastStepTokens]) {
      const more = this.#costOf(deliveredTokens + ahead) - hold.amount;
      if (more <= 0 || (await hold.extend(more))) return true;
      this.#nextSlice = lastStepTokens;
    }
    return false;
  }

  async conclude(result: StreamResult): Promise<Conclusion> {
    this.#services.streams.remove(this);
    this.#services.breaker.end(this.#call.record.channelId);
    this.#countAttempt(result);
    observeStream(this.#services.observer, this.#call, this.#parts, result);
    return await concludeStream(this.#services, this.#call, result);
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

  /** At the dearest tier: how many tokens the upstream counts for the prompt is not known yet. */
  #costOf(deliveredTokens: number): number {
    return largestChargeOf(this.#call.price, this.#usageAt(deliveredTokens));
  }

  #usageAt(deliveredTokens: number): Usage {
    return withFees(this.#call.price, estimatedUsage(this.#call, deliveredTokens));
  }
}

/** The upstream did not send its answer to the end. */
const isBroken = (ending: StreamEnding): boolean =>
  ending === 'broken' || ending === 'timeout' || ending === 'error';

const checkpointMilliseconds = 2000;
const longestSliceTokens = 16_384;
const lastStepTokens = 128;

async function concludeStream(
  services: StreamServices,
  call: RunningCall,
  result: StreamResult,
): Promise<Conclusion> {
  const { ending, deliveredTokens } = result;
  const problem = streamProblem(result);
  try {
    const { usage: reported, doubts } = reportedUsage(call, result.usage, () => deliveredTokens);
    if (reported === undefined && deliveredTokens === 0 && isBroken(ending)) {
      await releaseCall(services, call, `stream ${ending}`);
      return { problem, estimated: undefined, comment: '' };
    }
    const usage =
      reported === undefined
        ? estimatedUsage(call, deliveredTokens)
        : withUnreported(reported, result.unreportedTokens, deliveredTokens);
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
    };
  } catch (error) {
    services.log.error('a stream could not be settled', { request_id: call.requestId, error });
    const code = error instanceof LedgerUnavailableError ? 'unavailable' : 'internal';
    return { problem: new RelayError(code), estimated: undefined, comment: '' };
  }
}

/** A report that came before the end (the prompt at the start of an answer, say) and what was sent after it. */
function withUnreported(reported: Usage, unreportedTokens: number, deliveredTokens: number): Usage {
  if (unreportedTokens === 0) return reported;
  // Before any output a report may count the first token or none of it.
  const output =
    unreportedTokens === deliveredTokens
      ? Math.max(reported.output, deliveredTokens)
      : reported.output + unreportedTokens;
  return { ...reported, output };
}

function streamProblem({ ending }: StreamResult): RelayError | undefined {
  switch (ending) {
    case 'broken':
    case 'error':
      return new RelayError('stream_broken');
    case 'timeout':
      return new RelayError('upstream_timeout');
    case 'quota':
      return new RelayError(
        'stream_insufficient_quota',
        {},
        { type: 'insufficient_quota', publicCode: 'insufficient_quota' },
      );
    case 'unavailable':
      return new RelayError('unavailable');
    case 'revoked':
      return new RelayError('user_disabled');
    default:
      return undefined;
  }
}
