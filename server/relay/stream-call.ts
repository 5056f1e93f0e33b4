// The money side of a streamed call: extends the hold while output flows, leaves checkpoints, and settles at the end for
// what the upstream reported or, failing that, for what was delivered.
import { chargeOf } from '#server/billing/charge.ts';
import type { Answer, OutboundCall } from '#server/egress/index.ts';
import { streamSliceTokens } from './admission.ts';
import type { Core, RunningCall } from './core.ts';
import { RelayError } from './errors.ts';
import type { LiveStream } from './live-streams.ts';
import { errorEvent, reportComment } from './respond.ts';
import { estimatedUsage, releaseCall, reportedUsage, settleCall } from './settlement.ts';
import { EventStream, type StreamOptions, type StreamOwner, type StreamResult } from './stream.ts';
import { usageChunk } from './usage-chunk.ts';

export class CallStream implements StreamOwner, LiveStream {
  readonly events: EventStream;
  silentSince = performance.now();
  checkpointAt = this.silentSince;
  checkpointTokens = 0;
  readonly #core: Core;
  readonly #call: RunningCall;
  #nextSlice = streamSliceTokens;

  constructor(core: Core, call: RunningCall, outbound: OutboundCall, answer: Answer, options: StreamOptions) {
    this.#core = core;
    this.#call = call;
    this.events = new EventStream(outbound, answer, this, options);
  }

  /** The first event has come: from now on the stream is visited. */
  begun(): void {
    this.#core.streams.add(this);
  }

  checkpoint(deliveredTokens: number): void {
    const { requestId, prepared, record } = this.#call;
    this.#core.dependencies.ledger.dispatched(requestId, {
      quota: this.#costOf(deliveredTokens),
      promptTokens: prepared.estimate.promptTokens,
      completionTokens: deliveredTokens,
      channelId: record.channelId,
    });
  }

  covers(deliveredTokens: number): boolean | Promise<boolean> {
    // Half a slice ahead: what is on its way while we ask is covered as well.
    if (this.#costOf(deliveredTokens + this.#nextSlice / 2) <= this.#call.hold.amount) return true;
    return this.#extend(deliveredTokens);
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

  async conclude(result: StreamResult): Promise<string> {
    this.#core.streams.remove(this);
    this.#core.breaker.end(this.#call.record.channelId);
    return await concludeStream(this.#core, this.#call, result, this.events);
  }

  #costOf(deliveredTokens: number): number {
    const { estimate } = this.#call.prepared;
    return chargeOf(this.#call.price, {
      ...estimate.unreported,
      output: estimate.unreported.output + deliveredTokens,
    });
  }
}

const longestSliceTokens = 16_384;
const lastStepTokens = 128;

async function concludeStream(
  core: Core,
  call: RunningCall,
  result: StreamResult,
  stream: EventStream,
): Promise<string> {
  const { endpoint, wantsUsage } = call.prepared;
  const { ending, deliveredTokens } = result;
  const isTyped = !endpoint.asksForUsage;
  const problem = streamProblem(result);
  try {
    const reported = reportedUsage(call, result.usage, deliveredTokens);
    if (
      reported === undefined &&
      deliveredTokens === 0 &&
      (ending === 'broken' || ending === 'timeout' || ending === 'error')
    ) {
      await releaseCall(call, `stream ${ending}`);
      return problem === undefined ? '' : errorEvent(problem, call.request, call.requestId, isTyped);
    }
    const usage = reported ?? estimatedUsage(call, deliveredTokens);
    const settlement = await settleCall(core, call, {
      usage,
      estimated: reported === undefined && !call.prepared.estimate.isExact,
      firstTokenMilliseconds: result.firstEventAt - call.startedAt,
      ending: ending === 'complete' ? '' : ending,
    });
    if (problem !== undefined) return errorEvent(problem, call.request, call.requestId, isTyped);
    const chunk = wantsUsage && reported === undefined ? usageChunk(stream.head, usage) : '';
    return chunk + (call.wantsReport ? reportComment(settlement) : '');
  } catch (error) {
    core.dependencies.log.error('a stream could not be settled', { request_id: call.requestId, error });
    return errorEvent(new RelayError('internal'), call.request, call.requestId, isTyped);
  }
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
    default:
      return undefined;
  }
}
