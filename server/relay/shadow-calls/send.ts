// Sends one copy to one channel and reads the answer. No failure of it counts for the channel: callers must not lose a channel to it.
import { isEventOf, streamsEvents } from '#server/relay/answer/answer-shape.ts';
import type { Carrier } from '#server/relay/answer/carrier.ts';
import { dialectOf } from '#server/relay/answer/dialects/index.ts';
import { EventStream, type StreamResult } from '#server/relay/answer/event-stream.ts';
import { streamTexts, wholeTexts } from '#server/relay/answer/observe.ts';
import { PassThrough } from '#server/relay/answer/pass-through.ts';
import { Translation } from '#server/relay/answer/translation.ts';
import { collect, readWhole } from '#server/relay/answer/whole-answer.ts';
import { usageInAnswer } from '#server/relay/answer/whole-usage.ts';
import { KeptEvents } from '#server/relay/call/answer-observer.ts';
import type { StreamSink } from '#server/relay/caller/response.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { failureOf, FirstEventError, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import { estimatedUsage, reportedUsage, withUnreported } from '#server/relay/money/settlement.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { dispatch, type Dispatched, type DispatchedCall } from '#server/relay/pipeline/dispatch.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { UpstreamBody } from '#server/relay/upstream-body/upstream-body.ts';
import type { Answer } from '#server/platform/egress/index.ts';
import type { Usage } from '#server/money/prices/usage.ts';

export interface CopyAnswer {
  /** `complete`, or why there is no whole answer. */
  readonly ending: string;
  /** 0: it came in one piece, or not at all. */
  readonly firstTokenMilliseconds: number;
  readonly milliseconds: number;
  /** Undefined: nothing was bought. */
  readonly usage: Usage | undefined;
  /** Undefined: too long to be kept. */
  readonly texts: readonly string[] | undefined;
}

/** A copy that is being sent: what `dispatch` needs of it. */
export interface SentCopy extends DispatchedCall {
  readonly prepared: PreparedCall;
}

const EVENT_LIMIT_BYTES = 1024 * 1024;
const LONGEST_WORDS = 60;

/** Never rejects for what the upstream does. */
export async function sendCopy(core: Core, copy: SentCopy, channel: Channel): Promise<CopyAnswer> {
  const begunAt = performance.now();
  const failed = (ending: string): CopyAnswer => ({
    ending: ending.slice(0, LONGEST_WORDS),
    firstTokenMilliseconds: 0,
    milliseconds: performance.now() - begunAt,
    usage: undefined,
    texts: [],
  });
  try {
    const dispatched = await dispatch(core, copy, channel);
    if (dispatched === undefined) return failed('stopped');
    const answer = await dispatched.outbound.answer;
    const { status } = answer;
    if (status < 200 || status > 299) {
      dispatched.outbound.abort();
      return failed(`http_${status}`);
    }
    const encoding = answer.header('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      dispatched.outbound.abort();
      return failed('network');
    }
    if (copy.prepared.isStream && isEvents(dispatched.upstream, answer))
      return await readStream(copy, channel, dispatched, { answer, begunAt });
    return await readPiece(copy, channel, dispatched, { answer, begunAt, failed });
  } catch (error) {
    if (copy.hasLeft) return failed('stopped');
    const failure = failureOf(error);
    if (failure === undefined && !(error instanceof FirstEventError)) throw error;
    return failed(failure === undefined ? 'error' : endingOf(failure));
  }
}

const endingOf = ({ kind, status }: UpstreamFailure): string => (status > 0 ? `http_${status}` : kind);

function isEvents({ framing, format, isStream }: UpstreamBody, answer: Answer): boolean {
  const type = answer.header('content-type') ?? '';
  if (!isStream) return false;
  if (framing !== 'sse') return !type.startsWith('application/json');
  return type.startsWith('text/event-stream') || (streamsEvents(format) && !type.includes('json'));
}

interface Reading {
  readonly answer: Answer;
  /** `performance.now()`. */
  readonly begunAt: number;
}

async function readPiece(
  { prepared, record }: SentCopy,
  channel: Channel,
  { outbound, upstream }: Dispatched,
  { answer, begunAt, failed }: Reading & { failed: (ending: string) => CopyAnswer },
): Promise<CopyAnswer> {
  const { conversion } = upstream;
  const isCollected = conversion !== undefined && isEvents(upstream, answer);
  const whole = isCollected
    ? await collect(outbound, answer, conversion, EVENT_LIMIT_BYTES)
    : await readWhole(outbound, answer, { prepared, channel, upstream, way: 'whole' });
  if (whole.kind === 'failure') return failed(endingOf(whole.failure));
  const milliseconds = performance.now() - begunAt;
  const { usage } = usageInAnswer({ prepared, record, channel }, whole);
  const texts = wholeTexts({ prepared }, whole)?.() ?? [];
  return { ending: 'complete', firstTokenMilliseconds: 0, milliseconds, usage, texts };
}

const NOWHERE: StreamSink = { write() {}, flush() {}, close() {}, cut() {} };
const NOTHING_TO_SAY = () => '';

async function readStream(
  { prepared, record }: SentCopy,
  channel: Channel,
  { outbound, upstream }: Dispatched,
  { answer, begunAt }: Reading,
): Promise<CopyAnswer> {
  const kept = new KeptEvents(false);
  const ended = Promise.withResolvers<StreamResult>();
  const parts = {
    outbound,
    answer,
    carrier: carrierFor(prepared, upstream),
    reframing: undefined,
    stalledReaderSeconds: 60,
    attemptedAt: begunAt,
    key: channel.key,
    kept,
    record: undefined,
  };
  const stream = new EventStream(parts, {
    begun: () => true,
    covers: () => true,
    conclude(result) {
      ended.resolve(result);
      return Promise.resolve({ problem: undefined, estimated: undefined, comment: '' });
    },
    closed() {},
  });
  stream.body.attach(NOWHERE);
  const faulty = stream.run();
  // A fault of this program: the copy must end all the same.
  faulty.catch((error: unknown) => ended.reject(error));
  await stream.first;
  const { ending, usage: reported, deliveredTokens, unreportedTokens, firstEventAt } = await ended.promise;
  const milliseconds = performance.now() - begunAt;
  const { usage } = reportedUsage({ prepared, record, channel }, reported, () => deliveredTokens);
  return {
    ending: ending === 'client_left' ? 'stopped' : ending,
    firstTokenMilliseconds: firstEventAt - begunAt,
    milliseconds,
    usage:
      usage === undefined
        ? estimatedUsage({ prepared }, deliveredTokens)
        : withUnreported(usage, unreportedTokens, deliveredTokens),
    texts: streamTexts(prepared.endpoint.format, kept)?.(),
  };
}

/** The answer as the caller's format has it; nobody reads its end. */
function carrierFor({ endpoint }: PreparedCall, { conversion, format }: UpstreamBody): Carrier {
  if (conversion !== undefined)
    return new Translation({
      conversion,
      eventLimitBytes: EVENT_LIMIT_BYTES,
      onFault() {},
      sentence: NOTHING_TO_SAY,
      onLoss() {},
    });
  return new PassThrough({
    dialect: dialectOf(format),
    isEvent: (first) => isEventOf(format, first),
    hidesUsage: false,
    addsUsage: false,
    endsWithDone: endpoint.asksForUsage,
    shownModel: undefined,
    eventLimitBytes: EVENT_LIMIT_BYTES,
    errorEvent: NOTHING_TO_SAY,
  });
}
