// Opens a realtime call: the same checks, hold and choice of channel as any other, then a WebSocket to the upstream before
// the caller's own is accepted, so that a refusal still has an HTTP status.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { resolvePrice, takeHold } from '#server/relay/money/admission.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import { payWithPlans, type Payer } from '#server/relay/money/payers.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { markLogged, RelayError } from '#server/relay/errors/relay-error.ts';
import {
  callerError,
  describeFailure,
  failureOf,
  httpFailure,
  networkFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { mapModel, mapStatus } from '#server/relay/channel-choice/mapping.ts';
import { HandshakeRefusedError, type UpstreamSocket } from '#server/platform/egress/index.ts';
import { firstChannel } from '#server/relay/channel-choice/select.ts';
import { modelOf, type PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { callerCheck, openingEvent, openSecret, type OpenedSecret } from './client-secrets.ts';
import type { CallerCheck } from './session-admission.ts';
import { RealtimeSession } from './session.ts';
import { beginAttempt, noteFailure, retryChannel } from '#server/relay/pipeline/retry.ts';
import { releaseCall } from '#server/relay/money/settlement.ts';

const FIRST_SLICE_TOKENS = 1024;

export const realtimeEndpoint: RelayEndpoint = {
  path: '/v1/realtime',
  format: 'openai-realtime',
  body: 'json',
  defaultModel: undefined,
  outputLimits: ['max_output_tokens'],
  limitsIn: undefined,
  modelInPath: false,
  asksForUsage: false,
  isFiltered: false,
  estimate: () => ({
    promptTokens: 0,
    pieces: 1,
    choices: 1,
    unreported: usageOf({}),
    isExact: false,
    most: usageOf({}),
  }),
};

/** undefined: the connection is a WebSocket now. */
export async function openRealtime(core: Core, incoming: Incoming): Promise<undefined> {
  const { request } = incoming;
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    throw new RelayError('invalid_body', { detail: 'expected a WebSocket' }, { status: 426 });
  }
  const secret = await openSecret(core.store, request);
  const check = callerCheck(core.authenticator, secret, incoming);
  const caller = await check(core.settings.current);
  incoming.caller = caller;
  const asked = new URL(request.url).searchParams.get('model') ?? secret?.model;
  const model = modelOf(asked, realtimeEndpoint);
  incoming.model = model;
  if (secret !== undefined && model !== secret.model)
    throw new RelayError('secret_other_model', { model: secret.model }, { param: 'model' });
  if (caller.models !== undefined && !caller.models.has(model))
    throw new RelayError('model_not_allowed', { model });
  return await payWithPlans(core, caller, model, (payer) =>
    openAs(core, incoming, payer, { model, check, secret }),
  );
}

interface Opening {
  readonly model: string;
  readonly check: CallerCheck;
  readonly secret: OpenedSecret | undefined;
}

async function openAs(
  core: Core,
  incoming: Incoming,
  { caller, plans }: Payer,
  { model, check, secret }: Opening,
): Promise<undefined> {
  const { request, connection, address } = incoming;
  const began = { at: Date.now(), isSum: true };
  const price = resolvePrice(core, model, caller.group, began);
  const prepared = preparedCall(model);
  const first = firstChannel(core, caller, prepared, request.headers);
  const record = {
    caller,
    model,
    upstreamModel: model,
    channelId: first.id,
    channelName: first.name,
    address,
    path: realtimeEndpoint.path,
    isStream: true,
    isWebSocket: true,
    reasoningEffort: '',
    attempts: [],
    began,
  };
  // The hold lives longer by two minutes: time to settle.
  const expiresAt = incoming.startedAt + core.timeouts.totalSeconds * 1000;
  const tags = () => tagsGiven(request.headers);
  const { requestId } = incoming;
  const taken = await takeHold(core, { requestId, prepared, price, record, plans, tags });
  await using hold = taken.hold;
  const call: RunningCall = {
    ...incoming,
    caller,
    prepared,
    price,
    hold,
    record,
    wantsReport: false,
    channel: first,
    outbound: undefined,
    stream: undefined,
    hasLeft: false,
    limits: undefined,
    route: undefined,
    race: undefined,
    cover: undefined,
    isUncovered: false,
    copy: undefined,
    isNewPrompt: undefined,
    isNoted: true,
    cache: undefined,
    placeInSet: -1,
  };
  // Several upstreams may be tried, each with a time of its own.
  connection.timeout(0);
  const isTranscription = transcribes(request, secret);
  const upstream = await connectAny(core, call, isTranscription, first);
  core.ledger.dispatched(call.hold.call);
  const opening = secret && openingEvent(secret);
  const session = new RealtimeSession(core, call, upstream, { expiresAt, check, opening });
  const protocols = request.headers.get('sec-websocket-protocol') ?? '';
  const headers = { 'X-Request-Id': incoming.requestId };
  if (/(?:^|,)\s*realtime\s*(?:,|$)/.test(protocols))
    Object.assign(headers, { 'Sec-WebSocket-Protocol': 'realtime' });
  if (!connection.upgrade({ data: session, headers })) {
    // The caller left. The session ends the hold and the attempt, once.
    session.callerLeft();
    throw new RelayError('invalid_body', { detail: 'upgrade failed' });
  }
  hold.handOn();
  return undefined;
}

function preparedCall(model: string): PreparedCall {
  return {
    endpoint: realtimeEndpoint,
    model,
    isStream: true,
    wantsUsage: false,
    outputLimit: FIRST_SLICE_TOKENS,
    estimate: realtimeEndpoint.estimate({}, model),
    reasoningEffort: '',
    requestLength: 0,
    fields: {},
    isStrict: false,
    wantsArray: false,
    affinity: undefined,
    bodyFor: () => {
      throw new RelayError('internal');
    },
  };
}

async function connectAny(
  core: Core,
  call: RunningCall,
  isTranscription: boolean,
  first: Channel,
): Promise<UpstreamSocket> {
  const tried: number[] = [];
  let channel = first;
  for (;;) {
    beginAttempt(call.record, channel, tried);
    const begunAt = performance.now();
    const entry = { channel: channel.id, status: 0, milliseconds: 0 };
    call.record.attempts.push(entry);
    let failure: UpstreamFailure;
    try {
      const upstream = await connect(core, call, isTranscription, channel);
      entry.status = 101;
      entry.milliseconds = Math.round(performance.now() - begunAt);
      core.breaker.succeeded(channel.id, call.prepared.model);
      return upstream;
    } catch (error) {
      failure = handshakeFailure(channel, error);
      entry.status = failure.rawStatus;
      core.breaker.end(channel.id);
    }
    const { requestId, record } = call;
    failure = noteFailure(core, { requestId, record, requestText: () => '' }, channel, failure);
    const next = retryChannel(core, call, failure, tried);
    if (next === undefined) {
      await releaseCall(core, call, describeFailure(failure));
      throw markLogged(callerError(failure));
    }
    channel = next;
  }
}

function handshakeFailure(channel: Channel, error: unknown): UpstreamFailure {
  if (!(error instanceof HandshakeRefusedError))
    return failureOf(error) ?? networkFailure('network', String(error));
  const { response } = error;
  const status = response.statusCode ?? 502;
  response.destroy();
  return httpFailure(status, mapStatus(channel.statusMapping, status), '', response.headers['retry-after']);
}

const transcribes = ({ url }: Request, secret: OpenedSecret | undefined): boolean =>
  secret === undefined
    ? new URL(url).searchParams.get('intent') === 'transcription'
    : secret.session['type'] === 'transcription';

/** Browsers cannot send the header and name the beta as a protocol. */
function betaProtocol({ headers }: Request): string | null {
  const protocols = headers.get('sec-websocket-protocol') ?? '';
  const [, version] = /(?:^|,)\s*openai-beta\.realtime-(v\d+)\s*(?:,|$)/.exec(protocols) ?? [];
  return version === undefined ? null : `realtime=${version}`;
}

async function connect(
  core: Core,
  call: RunningCall,
  isTranscription: boolean,
  channel: Channel,
): Promise<UpstreamSocket> {
  const model = mapModel(channel.modelMapping, call.prepared.model);
  call.record.upstreamModel = model;
  const address = channel.provider.url(channel, {
    format: 'openai-realtime',
    path: '/v1/realtime',
    model,
    isStream: true,
  });
  const url = new URL(address);
  // A session of transcription is named by its intent; OpenAI refuses a model beside it, which `session.update` names.
  if (isTranscription) url.searchParams.set('intent', 'transcription');
  else url.searchParams.set('model', model);
  const beta = call.request.headers.get('openai-beta') ?? betaProtocol(call.request);
  const headers = { ...channel.headers, ...(beta === null ? {} : { 'OpenAI-Beta': beta.slice(0, 500) }) };
  return await core.egress.webSocket('channel', url.href, headers, channel.setting.proxy);
}
