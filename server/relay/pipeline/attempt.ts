// One attempt at one channel: sends the request and reads the answer as far as is needed to know whether it is one.
import { isEventOf, streamsEvents } from '#server/relay/answer/answer-shape.ts';
import {
  jsonArray,
  nameConversation,
  namingConversation,
  type Reframing,
} from '#server/relay/answer/reframing.ts';
import { closingResponse, rememberResponse } from '#server/relay/answer/remember-response.ts';
import { callerLanguage, errorEvent } from '#server/relay/caller/error-answer.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { readAll, type Answer } from '#server/platform/egress/index.ts';
import type { Carrier } from '#server/relay/answer/carrier.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from './core.ts';
import { dialectOf } from '#server/relay/answer/dialects/index.ts';
import { dispatch, type Dispatched } from './dispatch.ts';
import { attemptSecondWay } from './second-way.ts';
import { responsesEndpoint } from '#server/relay/request/endpoints.ts';
import { dialectOfFormat, sentenceIn } from '#server/relay/errors/error-dialects.ts';
import {
  failureOf,
  httpFailure,
  networkFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import type { Attempt } from '#server/relay/money/log-row.ts';
import { modelIn, renameModel, shownModelOf } from '#server/relay/answer/shown-model.ts';
import { readLeft } from '#server/models/limits/rate-headers.ts';
import { waitForReset, waitInHeaders } from '#server/models/limits/refused-limit.ts';
import { mapStatus } from '#server/relay/channel-choice/mapping.ts';
import { PassThrough } from '#server/relay/answer/pass-through.ts';
import { keptFor } from '#server/relay/answer/observe.ts';
import type { StreamParts } from '#server/relay/answer/event-stream.ts';
import { CallStream } from '#server/relay/answer/stream-call.ts';
import { Translation } from '#server/relay/answer/translation.ts';
import { receiptOf, type UpstreamBody } from '#server/relay/upstream-body/upstream-body.ts';
import { collect, readWhole, type WholeAnswer } from '#server/relay/answer/whole-answer.ts';

export type { WholeAnswer } from '#server/relay/answer/whole-answer.ts';

export type AttemptResult =
  | WholeAnswer
  | { kind: 'stream'; stream: CallStream; contentType: string }
  /** `isNoted`: it has been counted for its channel. */
  | { kind: 'failure'; failure: UpstreamFailure; isNoted?: boolean };

const ERROR_LIMIT_BYTES = 256 * 1024;
const EVENT_LIMIT_BYTES = 1024 * 1024;
/** Pictures travel inside one event. */
const MEDIA_EVENT_LIMIT_BYTES = 32 * 1024 * 1024;

export async function attempt(core: Core, call: RunningCall, channel: Channel): Promise<AttemptResult> {
  const begunAt = performance.now();
  // Recorded before the request: a short stream is settled, with its attempts, before this function returns.
  const entry: Attempt = { channel: channel.id, status: 0, milliseconds: 0 };
  if (call.route !== undefined) entry.model = call.prepared.model;
  call.record.attempts.push(entry);
  // What is left of a failed attempt: a caller who leaves now must end this one, and pays for no prompt before it is sent.
  call.outbound = undefined;
  call.stream = undefined;
  let isStreaming = false;
  try {
    const dispatched = await dispatch(core, call, channel);
    if (dispatched === undefined) return { kind: 'failure', failure: networkFailure('client_left') };
    const { outbound, upstream } = dispatched;
    const answer = await outbound.answer;
    entry.status = answer.status;
    entry.milliseconds = Math.round(performance.now() - begunAt);
    noteLeft(core, call, channel, answer);
    if (answer.status < 200 || answer.status > 299) {
      if (call.prepared.emulateAfterRefusal?.(channel, answer.status) !== true)
        return await handleRefusal(core, call, channel, dispatched, answer);
      outbound.abort();
      core.breaker.begin(channel.id, call.prepared.model);
      return await attempt(core, call, channel);
    }
    // Only identity was asked for. Nothing is unpacked: it could be a decompression bomb.
    const encoding = answer.header('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      outbound.abort();
      return { kind: 'failure', failure: networkFailure('network') };
    }
    const contentType = answer.header('content-type') ?? '';
    const { isStream: wantsStream } = call.prepared;
    if (upstream.isStream && isEvents(upstream, contentType)) {
      if (!wantsStream && upstream.conversion !== undefined) {
        const collected = await collect(outbound, answer, upstream.conversion, MEDIA_EVENT_LIMIT_BYTES);
        noteLosses(call, upstream);
        return collected;
      }
      const parts = { outbound, answer, attemptedAt: begunAt, key: channel.key };
      const stream = openStream(core, call, channel, upstream, parts);
      await stream.events.first;
      isStreaming = true;
      return { kind: 'stream', stream, contentType: streamType(call, upstream, contentType) };
    }
    const way = wantsStream ? (call.prepared.wantsArray ? 'array' : 'events') : 'whole';
    const whole = await readWhole(outbound, answer, { prepared: call.prepared, channel, upstream, way });
    noteLosses(call, upstream);
    const shownModel = shownModelOf(channel, call.prepared);
    if (whole.kind === 'whole') {
      whole.namedModel = whole.converted?.namedModel ?? (whole.json && modelIn(whole.json));
      if (shownModel !== undefined) renameModel(whole, shownModel);
    }
    if (whole.kind === 'whole' && whole.json !== undefined && isRemembered(call)) {
      await rememberResponse(core, call, whole.json, upstream.conversion !== undefined);
      const { conversation } = call.prepared;
      if (conversation !== undefined) nameConversation(whole, conversation.id);
    }
    return whole;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    entry.milliseconds = Math.round(performance.now() - begunAt);
    return { kind: 'failure', failure };
  } finally {
    // A stream goes on; its settlement ends the attempt.
    if (!isStreaming) core.breaker.end(channel.id);
  }
}

/** The headers are those of the limits of channel and model, also where the call was refused. */
function noteLeft({ breaker }: Core, { prepared }: RunningCall, channel: Channel, answer: Answer): void {
  const left = readLeft((name) => answer.header(name), Date.now());
  if (left !== undefined) breaker.headroom.note(channel, prepared.model, left);
}

/** Before the call is settled: the log row and the header of a whole answer name what the answer lost. */
function noteLosses(call: RunningCall, upstream: UpstreamBody): void {
  const isLossy = upstream.conversion !== undefined && upstream.conversion.answerNotes.length > 0;
  if (isLossy) call.record.conversion = receiptOf(call.prepared, upstream);
}

/** Some upstreams send events under these types; what is none has no first event. */
const VAGUE_TYPES = /^(?:$|text\/plain|application\/octet-stream)/;

/** Upstreams with a framing of their own use many content types for it, but never JSON. */
function isEvents({ framing, format }: UpstreamBody, contentType: string): boolean {
  if (framing !== 'sse') return framing === 'ndjson' || !contentType.startsWith('application/json');
  return (
    contentType.startsWith('text/event-stream') || (streamsEvents(format) && VAGUE_TYPES.test(contentType))
  );
}

function streamType({ prepared }: RunningCall, { conversion }: UpstreamBody, contentType: string): string {
  if (prepared.wantsArray) return 'application/json; charset=UTF-8';
  const isNamed = conversion === undefined && contentType.startsWith('text/event-stream');
  return isNamed ? contentType : 'text/event-stream; charset=utf-8';
}

function openStream(
  core: Core,
  call: RunningCall,
  channel: Channel,
  upstream: UpstreamBody,
  parts: Pick<StreamParts, 'outbound' | 'answer' | 'attemptedAt' | 'key'>,
): CallStream {
  const stream = new CallStream(core, call, {
    ...parts,
    carrier: carrierFor(core, call, channel, upstream),
    kept: keptFor(core.observer, call),
    record: call.cache?.keeper?.stream(call),
    reframing: reframingOf(call),
    stalledReaderSeconds: core.timeouts.stalledReaderSeconds,
  });
  call.stream = stream;
  stream.events.run().catch((error: unknown) => {
    core.log.error('a stream failed', { request_id: call.requestId, error });
  });
  return stream;
}

function reframingOf({ prepared }: RunningCall): Reframing | undefined {
  if (prepared.wantsArray) return jsonArray();
  return prepared.conversation && namingConversation(prepared.conversation.id);
}

/** Only a Responses call can be continued later. */
function isRemembered({ prepared }: RunningCall): boolean {
  return prepared.endpoint === responsesEndpoint;
}

function carrierFor(core: Core, call: RunningCall, channel: Channel, upstream: UpstreamBody): Carrier {
  const { conversion, format } = upstream;
  const { request, requestId } = call;
  const onClosing = isRemembered(call)
    ? async (closing: unknown) => {
        const response = closingResponse(closing);
        if (response !== undefined) await rememberResponse(core, call, response, conversion !== undefined);
      }
    : undefined;
  if (conversion !== undefined) {
    return new Translation({
      conversion,
      eventLimitBytes: MEDIA_EVENT_LIMIT_BYTES,
      onFault: (error) =>
        core.log.warn('a stream could not be converted', {
          request_id: requestId,
          channel_id: call.record.channelId,
          error,
        }),
      sentence: (error) =>
        sentenceIn(error, dialectOfFormat(conversion.from), callerLanguage(request), requestId),
      onLoss: () => noteLosses(call, upstream),
      onClosing,
    });
  }
  const { endpoint, wantsUsage } = call.prepared;
  return new PassThrough({
    dialect: dialectOf(format),
    isEvent: (first) => isEventOf(format, first),
    hidesUsage: endpoint.asksForUsage && !wantsUsage,
    addsUsage: wantsUsage,
    endsWithDone: endpoint.asksForUsage,
    shownModel: shownModelOf(channel, call.prepared),
    eventLimitBytes: endpoint.asksForUsage ? EVENT_LIMIT_BYTES : MEDIA_EVENT_LIMIT_BYTES,
    errorEvent: (error, broken) => errorEvent(error, call, endpoint.format, broken),
    onClosing,
  });
}

async function handleRefusal(
  core: Core,
  call: RunningCall,
  channel: Channel,
  { outbound, upstream }: Dispatched,
  answer: Answer,
): Promise<AttemptResult> {
  const { status } = answer;
  const read = await readAll(outbound, answer, ERROR_LIMIT_BYTES).catch(() => Buffer.alloc(0));
  const body = read.toString();
  const refusal = { channel, upstream, status, answer: body };
  const answered = await attemptSecondWay(core, call, refusal, (other) => attempt(core, call, other));
  if (answered !== undefined) return answered;
  const { format, conversion } = upstream;
  const mapped = mapStatus(channel.statusMapping, status);
  const header = (name: string) => answer.header(name);
  const failure = httpFailure(status, mapped, body, named(waitInHeaders(header, Date.now())), {
    resetIn: (error) => (status === 429 ? named(waitForReset(header, error, Date.now())) : undefined),
    refusalIn: (error) => channel.provider.refusalIn?.(error, status),
    decodeError: (error) => (format === 'own' ? conversion?.upstream.decodeError(error) : undefined),
  });
  return { kind: 'failure', failure };
}

/** Undefined for 0: it is not named. */
const named = (seconds: number): string | undefined => (seconds > 0 ? String(seconds) : undefined);
