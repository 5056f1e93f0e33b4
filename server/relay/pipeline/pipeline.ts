// Read this first. Every relayed call goes this way:
//
//   receive → authenticate → price → hold → select → call → stream → settle → record
//
// Nothing goes out before the hold is taken. Another channel is tried only while no byte has gone to the caller. The
// end of the answer leaves only after the charge is durable. Whatever ends the call ends its hold, once.
import { failed } from '#server/relay/caller/error-answer.ts';
import {
  answerHeaders,
  passedType,
  receiptHeader,
  reportHeaders,
  streamHeaders,
} from '#server/relay/caller/answer-headers.ts';
import { streamResponse } from '#server/relay/caller/stream-response.ts';
import { modelAllowed } from '#server/relay/caller/allowed-models.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { Settlement } from '#server/billing/ledger.ts';
import type { PriceSnapshot } from '#server/billing/price.ts';
import { usageOf } from '#server/billing/usage.ts';
import { reserve, resolvePrice } from '#server/relay/money/admission.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { attempt, type WholeAnswer } from './attempt.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from './core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, describeFailure, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import { keptChannel } from './affinity.ts';
import type { Hold } from '#server/relay/money/hold.ts';
import type { PreparedCall } from '#server/relay/upstream/prepare.ts';
import { beginAttempt, noteFailure, retryChannel } from './retry.ts';
import { noChannel, selectChannel } from '#server/relay/channels/select.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import { releaseCall, settleCall } from '#server/relay/money/settlement.ts';
import type { CallStream } from '#server/relay/answer/stream-call.ts';
import { usageInAnswer } from '#server/relay/answer/whole-usage.ts';

/** What cannot be done is thrown before anything is held. */
export async function relayCall(
  core: Core,
  incoming: Incoming,
  caller: Caller,
  prepared: PreparedCall,
): Promise<Response> {
  const { model } = prepared;
  if (!modelAllowed(caller, model)) throw new RelayError('model_not_allowed', { model });
  refuseSensitive(core, prepared);
  const price = resolvePrice(core, model, caller.group);
  const first = nextChannel(core, caller, prepared, []);
  const record: RunningCall['record'] = {
    caller,
    model,
    upstreamModel: model,
    channelId: first.id,
    channelName: first.name,
    address: incoming.address,
    path: prepared.endpoint.path,
    isStream: prepared.isStream,
    isWebSocket: false,
    reasoningEffort: prepared.reasoningEffort,
    attempts: [],
    conversion: undefined,
  };
  const reserved = reserve(core, incoming.requestId, prepared, price, record, first.id);
  const hold = reserved instanceof Promise ? await reserved : reserved;
  return await runCall(core, runningCall(incoming, prepared, price, record, hold), first);
}

function runningCall(
  { requestId, startedAt, request, connection, seconds, address }: Incoming,
  prepared: PreparedCall,
  price: PriceSnapshot,
  record: RunningCall['record'],
  hold: Hold,
): RunningCall {
  return {
    requestId,
    startedAt,
    request,
    connection,
    seconds,
    address,
    caller: record.caller,
    prepared,
    price,
    hold,
    record,
    wantsReport: request.headers.get('x-tollgate-report') !== null,
    outbound: undefined,
    stream: undefined,
    hasLeft: false,
    isNoted: false,
    rosterPlace: -1,
  };
}

/** One channel after the other, until there is an answer; a failure is one too. */
async function runCall(core: Core, call: RunningCall, first: Channel): Promise<Response> {
  const tried: number[] = [];
  let channel = first;
  core.running.add(call);
  try {
    try {
      for (;;) {
        beginAttempt(call.record, channel, tried);
        const result = await attempt(core, call, channel);
        if (result.kind === 'stream') {
          core.breaker.succeeded(channel.id);
          return answerStream(call, result.stream, result.contentType);
        }
        if (result.kind === 'whole') {
          core.breaker.succeeded(channel.id);
          const { usage, estimated } = usageInAnswer(call, result);
          const ended = { usage, estimated, firstTokenMilliseconds: undefined, ending: '' };
          return answerWhole(call, result, await settleCall(core, call, ended));
        }
        const { failure } = result;
        note(core, call, channel, failure);
        if (failure.kind === 'client_left') return await callerGone(core, call);
        const next = retryChannel(core, call, failure, tried);
        if (next === undefined) {
          await releaseCall(call, describeFailure(failure));
          throw callerError(failure);
        }
        channel = next;
      }
    } finally {
      core.running.remove(call);
      // A stream has taken the hold over by now; whatever else happened ends it here.
      if (call.hold.isOpen) await call.hold.release(call.hold.failure);
    }
  } catch (error) {
    return failed(core, call, error);
  }
}

/** The channel of the first attempt, counted as busy from now on: whoever takes it ends that with `breaker.end`. */
export function nextChannel(
  core: Core,
  caller: Caller,
  prepared: PreparedCall,
  tried: readonly number[],
): Channel {
  const { model } = prepared;
  const { current } = core.catalog;
  const kept = keptChannel(core, caller, prepared);
  if (kept !== undefined) {
    core.breaker.begin(kept.id);
    return kept;
  }
  if (caller.channelId !== undefined) {
    const channel = current.channel(caller.channelId);
    if (channel === undefined) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    core.breaker.begin(channel.id);
    return channel;
  }
  const tiers = current.tiers(caller.group, model);
  const selection = selectChannel(tiers, tried, core.breaker, prepared);
  if ('channel' in selection) {
    core.breaker.begin(selection.channel.id);
    return selection.channel;
  }
  if (selection.none === 'busy') throw new RelayError('channels_busy', {}, { retryAfterSeconds: 5 });
  // The model is there, but not for this: to try again would not help.
  const isElsewhere = tried.length === 0 && (tiers.length > 0 || current.isTaskOnly(caller.group, model));
  if (isElsewhere) throw new RelayError('model_not_here', { model }, { param: 'model' });
  throw noChannel(current, caller.group, model);
}

function note(core: Core, call: RunningCall, channel: Channel, failure: UpstreamFailure): void {
  noteFailure(core, call.requestId, channel, failure, () => JSON.stringify(call.prepared.fields));
}

function answerWhole(call: RunningCall, answer: WholeAnswer, settlement: Settlement): Response {
  const headers = answerHeaders(call.request, call.requestId, passedType(answer.contentType));
  if (call.wantsReport) {
    reportHeaders(headers, settlement);
    receiptHeader(headers, call.record);
  }
  return new Response(answer.body as string | Uint8Array<ArrayBuffer>, { status: answer.status, headers });
}

function answerStream(call: RunningCall, stream: CallStream, contentType: string): Response {
  call.hold.handOn();
  const { events } = stream;
  if (call.hasLeft) events.clientLeft();
  const headers = streamHeaders(call.request, call.requestId, passedType(contentType));
  if (call.wantsReport) receiptHeader(headers, call.record);
  return streamResponse(events.body, headers, call.connection);
}

/** The caller hung up before anything came: the prompt was sent, and is paid for. */
async function callerGone(core: Core, call: RunningCall): Promise<Response> {
  if (call.outbound === undefined) await call.hold.release();
  else {
    const usage = usageOf({ ...call.prepared.estimate.unreported });
    const ended = { usage, estimated: true, firstTokenMilliseconds: undefined, ending: 'client_left' };
    await settleCall(core, call, ended);
  }
  return new Response(null, { status: 499 });
}

function refuseSensitive(core: Core, prepared: PreparedCall): void {
  if (core.filter === undefined || !prepared.endpoint.isFiltered) return;
  for (const text of promptTexts(prepared.fields)) {
    const words = core.filter.find(text, 5);
    if (words.length > 0) throw new RelayError('sensitive_words', { words: words.join(', ') });
  }
}
