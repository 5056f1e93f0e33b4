// Read this first. Every relayed call goes this way:
//
//   entry/handler.ts       authenticate the caller, read and prepare the request
//   pipeline/pipeline.ts   price it, choose a channel, take the hold, try channels, settle
//   pipeline/hedge.ts      where the first token is late, a second attempt at the same time
//   pipeline/attempt.ts    one attempt: dispatch.ts sends the request, answer/ reads the answer
//   answer/                whole answers, and streams that settle at their end
//
// Nothing is sent before the hold is taken. Another channel is tried only before the first byte for the caller. The end
// of the answer is sent only after the charge is durable. Every end of a call ends its hold exactly once.
import {
  modelHeader,
  answerHeaders,
  cacheHeaders,
  limitHeader,
  passedType,
  receiptHeader,
  reportHeaders,
  streamHeaders,
} from '#server/relay/caller/response.ts';
import { streamResponse } from '#server/relay/caller/response.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import { lookUp } from '#server/relay/answer-cache/look-up.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { Settlement } from '#server/money/ledger/ledger.ts';
import { recordOf, resolvePrice, takeHold } from '#server/relay/money/admission.ts';
import { payWithPlans, type Payer } from '#server/relay/money/payers.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { WholeAnswer } from './attempt.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from './core.ts';
import { markLogged, RelayError } from '#server/relay/errors/relay-error.ts';
import {
  callerError,
  describeFailure,
  isChannelFault,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { isLimit } from '#server/relay/errors/failure-scope.ts';
import { firstChannel } from '#server/relay/channel-choice/select.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { attemptInTime } from './hedge.ts';
import { beginAttempt, noteFailure, retryChannel } from './retry.ts';
import { admitVirtual, attemptTarget, fallBack, fallBackAfterRefusal, type Admitted } from './virtual.ts';
import type { VirtualModel } from '#server/relay/virtual-models/book.ts';
import { withTargets } from '#server/relay/virtual-models/listed.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import { StreamCover } from '#server/relay/money/stream-cover.ts';
import {
  estimatedUsage,
  quotaError,
  releaseCall,
  settleCall,
  withHidden,
} from '#server/relay/money/settlement.ts';
import type { CallStream } from '#server/relay/answer/stream-call.ts';
import { observeWhole, wholeTexts } from '#server/relay/answer/observe.ts';
import { usageInAnswer } from '#server/relay/answer/whole-usage.ts';

/** Rejects before anything is held when the call cannot be admitted. */
export function relayCall(
  core: Core,
  incoming: Incoming,
  caller: Caller,
  prepared: PreparedCall,
): Promise<Response> {
  const { model } = prepared;
  incoming.model = model;
  const virtual = core.virtualModels.current.get(model);
  const relay = (payer: Payer) => relayAs(core, incoming, payer, prepared, virtual);
  if (caller.plans === undefined) return relay({ caller, plans: undefined });
  return payWithPlans(virtual === undefined ? core : withTargets(core, virtual), caller, model, relay);
}

async function relayAs(
  core: Core,
  incoming: Incoming,
  payer: Payer,
  prepared: PreparedCall,
  virtual: VirtualModel | undefined,
): Promise<Response> {
  const { caller, plans } = payer;
  const { model } = prepared;
  if (!modelAllowed(caller, model)) throw new RelayError('model_not_allowed', { model });
  refuseSensitive(core, prepared);
  const began = { at: Date.now(), requestClass: prepared.requestClass };
  const cache =
    caller.cache && (await lookUp(core, incoming, payer, { prepared, virtual, began }, caller.cache));
  if (cache instanceof Response) return cache;
  if (virtual !== undefined) {
    const admitted = await admitVirtual(core, incoming, payer, { virtual, prepared, began });
    return await run(core, incoming, caller, { ...admitted, cache });
  }
  const price = resolvePrice(core, model, caller.group, began);
  const channel = firstChannel(core, caller, prepared, incoming.request.headers);
  const record = recordOf(incoming, caller, prepared, channel, began);
  const { hold, exposure } = await takeHold(core, {
    requestId: incoming.requestId,
    prepared,
    price,
    record,
    plans,
    tags: () => tagsGiven(incoming.request.headers, prepared.fields),
  });
  return await run(core, incoming, caller, {
    prepared,
    price,
    channel,
    record,
    hold,
    exposure,
    route: undefined,
    cache,
  });
}

type Running = Admitted & Pick<RunningCall, 'cache'>;

async function run(core: Core, incoming: Incoming, caller: Caller, admitted: Running): Promise<Response> {
  const { prepared, price, channel, record, hold, exposure, route, cache } = admitted;
  if (core.watcher !== undefined) record.trace = core.watcher.parentOf(incoming.request.headers);
  const call: RunningCall = {
    ...incoming,
    caller,
    prepared,
    price,
    hold,
    record,
    wantsReport: incoming.request.headers.get('x-tollgate-report') !== null,
    channel,
    outbound: undefined,
    stream: undefined,
    hasLeft: false,
    limits: exposure.limits,
    cover: prepared.isStream ? new StreamCover(hold, exposure) : undefined,
    isUncovered: false,
    isNewPrompt: core.observer?.began(prepared),
    copy: core.copies.choose(incoming, caller, prepared),
    route,
    race: undefined,
    isNoted: false,
    cache,
    placeInSet: -1,
  };
  core.running.add(call);
  try {
    return await answerFrom(core, call, channel);
  } finally {
    core.running.remove(call);
    // A stream ends its hold itself; every other end settled or released it, unless it threw.
    if (hold.isOpen) await hold.release(hold.failure);
  }
}

/** Formats whose prompt says what to make. */
const DESCRIBING: ReadonlySet<Format> = new Set<Format>(['openai-images', 'openai-speech']);

/** Tries one channel after the other until one answers. */
async function answerFrom(core: Core, call: RunningCall, first: Channel): Promise<Response> {
  const tried: number[] = [];
  let channel = first;
  let limited: UpstreamFailure | undefined;
  for (;;) {
    beginAttempt(call.record, channel, tried);
    call.channel = channel;
    const { route } = call;
    const result = await (route === undefined
      ? attemptInTime(core, call, channel, tried)
      : attemptTarget(core, call, route, tried));
    // A second attempt at the same time may have been quicker.
    ({ channel } = call);
    if (result.kind === 'stream') {
      noteAnswered(core, call, channel);
      return answerStream(call, result.stream, result.contentType);
    }
    if (result.kind === 'whole') {
      noteAnswered(core, call, channel);
      core.health.answered(channel.id);
      const { usage, estimated, reported, doubts } = usageInAnswer(call, result);
      observeWhole(core.observer, call, result, reported);
      const ended = { usage, estimated, firstTokenMilliseconds: undefined, ending: '', doubts };
      const settlement = await settleCall(core, call, ended);
      const isExact = !estimated && reported !== undefined && doubts.length === 0;
      call.cache?.keeper?.whole(call, result, isExact ? usage : undefined);
      const answer = answerWhole(call, result, settlement);
      call.copy?.ended(wholeTexts(call, result));
      return answer;
    }
    if (result.kind === 'refused') {
      const next = fallBackAfterRefusal(core, call, result.error);
      if (next === undefined) throw result.error;
      tried.length = 0;
      channel = next;
      continue;
    }
    if (call.isUncovered) return await endUncovered(core, call);
    const { requestId, record, prepared } = call;
    const failed = {
      requestId,
      record,
      requestText: () => JSON.stringify(prepared.fields),
      promptTexts: () => promptTexts(prepared.fields),
    };
    const failure =
      result.isNoted === true ? result.failure : noteFailure(core, failed, channel, result.failure);
    if (failure.kind === 'client_left') return await callerGone(core, call);
    let next = retryChannel(core, call, failure, tried);
    if (next === undefined && (next = fallBack(core, call, failure)) !== undefined) tried.length = 0;
    if (isLimit(failure)) limited ??= failure;
    if (next === undefined) {
      // A caller who can wait for a limit is not told of the outage of another channel.
      const told = limited !== undefined && isChannelFault(failure) ? limited : failure;
      await releaseCall(core, call, describeFailure(told));
      const isDescription = DESCRIBING.has(prepared.endpoint.format);
      const names = { model: prepared.shownModel ?? record.model, upstreamModel: record.upstreamModel };
      throw markLogged(callerError(told, names, { isDescription }));
    }
    channel = next;
  }
}

function noteAnswered({ breaker, warm }: Core, { prepared }: RunningCall, { id }: Channel): void {
  breaker.succeeded(id, prepared.model);
  if (prepared.conversationName !== undefined) warm.note(prepared.conversationName, id);
}

function answerWhole(call: RunningCall, answer: WholeAnswer, settlement: Settlement): Response {
  const headers = answerHeaders(call.request, call.requestId, passedType(answer.contentType));
  limitHeader(headers, call.record);
  modelHeader(headers, call.record);
  cacheHeaders(headers, call.cache);
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
  limitHeader(headers, call.record);
  modelHeader(headers, call.record);
  cacheHeaders(headers, call.cache);
  if (call.wantsReport) receiptHeader(headers, call.record);
  return streamResponse(events.body, headers, call.connection);
}

/** The hold could not grow while the upstream was silent: the prompt and what it may have thought are charged. */
async function endUncovered(core: Core, call: RunningCall): Promise<never> {
  const usage = withHidden(estimatedUsage(call, 0), call.cover, 0);
  const ended = { usage, estimated: true, firstTokenMilliseconds: undefined, ending: 'quota', doubts: [] };
  await settleCall(core, call, ended);
  throw markLogged(quotaError());
}

/** The caller left before any output: a prompt that was sent is charged. */
async function callerGone(core: Core, call: RunningCall): Promise<Response> {
  if (call.outbound === undefined) await call.hold.release();
  else {
    const usage = estimatedUsage(call, 0);
    const ending = 'client_left';
    await settleCall(core, call, {
      usage,
      estimated: true,
      firstTokenMilliseconds: undefined,
      ending,
      doubts: [],
    });
  }
  return new Response(null, { status: 499 });
}

export function refuseSensitive(
  core: Pick<Core, 'filter'>,
  prepared: Pick<PreparedCall, 'endpoint' | 'fields'>,
): void {
  if (core.filter === undefined || !prepared.endpoint.isFiltered) return;
  for (const text of promptTexts(prepared.fields)) {
    const words = core.filter.find(text, 5);
    if (words.length > 0) throw new RelayError('sensitive_words', { words: words.join(', ') });
  }
}
