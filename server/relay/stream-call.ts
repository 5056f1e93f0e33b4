// The money side of a streamed call: extends the hold while output flows, leaves checkpoints, and settles at the end for
// what the upstream reported or, failing that, for what was delivered.
import { chargeOf } from '#server/billing/charge.ts';
import { usageOf } from '#server/billing/usage.ts';
import { streamSliceTokens } from './admission.ts';
import type { Core, RunningCall } from './core.ts';
import { RelayError } from './errors.ts';
import type { LiveStream } from './live-streams.ts';
import { errorEvent, reportComment } from './respond.ts';
import { estimatedUsage, releaseCall, reportedUsage, settleCall } from './settlement.ts';
import type { EventStream, StreamOwner, StreamResult } from './stream.ts';
import { usageChunk } from './usage-chunk.ts';

export interface CallStream extends StreamOwner {
  begin(stream: EventStream): void;
  stream: EventStream | undefined;
}

export function callStream(core: Core, call: RunningCall): CallStream {
  let live: LiveStream | undefined;
  let nextSlice = streamSliceTokens;
  const costOf = (deliveredTokens: number): number =>
    chargeOf(call.price, usageOf({ ...call.prepared.estimate.unreported, output: deliveredTokens }));
  return {
    stream: undefined,
    begin(stream) {
      this.stream = stream;
      live = {
        stream,
        checkpointAt: performance.now(),
        checkpointTokens: 0,
        checkpoint: (tokens) =>
          core.dependencies.ledger.dispatched(call.requestId, {
            quota: costOf(tokens),
            promptTokens: call.prepared.estimate.promptTokens,
            completionTokens: tokens,
            channelId: call.record.channelId,
          }),
      };
      // A very short stream may have ended before anybody looked at it.
      if (!stream.isOver) core.streams.add(live);
    },
    covers(deliveredTokens) {
      // Half a slice ahead: what is on its way while we ask is covered as well.
      const needed = costOf(deliveredTokens + nextSlice / 2);
      if (needed <= call.hold.amount) return true;
      nextSlice = Math.min(nextSlice * 2, 16_384);
      return call.hold.extend(costOf(deliveredTokens + nextSlice) - call.hold.amount);
    },
    async conclude(result, stream) {
      if (live !== undefined) core.streams.remove(live);
      core.breaker.end(call.record.channelId);
      return await concludeStream(core, call, result, stream);
    },
  };
}

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
      return problem === undefined ? '' : errorEvent(problem, call.language, call.requestId, isTyped);
    }
    const usage = reported ?? estimatedUsage(call, deliveredTokens);
    const settlement = await settleCall(core, call, {
      usage,
      estimated: reported === undefined && !call.prepared.estimate.isExact,
      firstTokenMilliseconds: result.firstEventAt - call.startedAt,
      ending: ending === 'complete' ? '' : ending,
    });
    if (problem !== undefined) return errorEvent(problem, call.language, call.requestId, isTyped);
    const chunk = wantsUsage && reported === undefined ? usageChunk(stream.head, usage) : '';
    return chunk + (call.wantsReport ? reportComment(settlement) : '');
  } catch (error) {
    core.dependencies.log.error('a stream could not be settled', { request_id: call.requestId, error });
    return errorEvent(new RelayError('internal'), call.language, call.requestId, isTyped);
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
