// Calls of virtual models: the first target that can answer gets the call, with a hold that covers the dearest one that may still get
// it; after a failure that a target names, before the first byte for the caller, the next one does. One hold, one charge, one log row.
import type { FallbackKind } from '#contract/relay/virtual-reasons.ts';
import { AmountError } from '#server/money/ledger/ledger.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { firstChannel } from '#server/relay/channel-choice/select.ts';
import { noChannel } from '#server/relay/channel-choice/unserved.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { networkFailure, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import { recordOf, takeHold } from '#server/relay/money/admission.ts';
import { lowerToHold } from '#server/relay/money/demand.ts';
import type { Exposure } from '#server/relay/money/exposure.ts';
import { CallSnapshot, type RouteStep } from '#server/relay/money/log-row.ts';
import type { Payer } from '#server/relay/money/payers.ts';
import { StreamCover } from '#server/relay/money/stream-cover.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { VirtualModel } from '#server/relay/virtual-models/book.ts';
import { fallbackKind, refusalKind } from '#server/relay/virtual-models/failure-kind.ts';
import {
  considerTargets,
  type AskedCall,
  type Considered,
  type OpenTarget,
} from '#server/relay/virtual-models/plan.ts';
import type { Route } from '#server/relay/virtual-models/route.ts';
import type { AttemptResult } from './attempt.ts';
import type { Core } from './core.ts';
import { attemptInTime } from './hedge.ts';

/** A call with its first channel and its hold. */
export interface Admitted extends Pick<
  RunningCall,
  'prepared' | 'price' | 'channel' | 'record' | 'hold' | 'route'
> {
  readonly exposure: Exposure;
}

export interface VirtualCall {
  readonly virtual: VirtualModel;
  readonly prepared: PreparedCall;
  readonly began: Moment;
}

/** Chooses the first target and takes the hold. */
export async function admitVirtual(
  core: Core,
  incoming: Incoming,
  { caller, plans }: Payer,
  { virtual, prepared: asked, began }: VirtualCall,
): Promise<Admitted> {
  const { headers } = incoming.request;
  const considered = await consider(core, virtual, { headers, caller, prepared: asked, began });
  const steps: RouteStep[] = [];
  const { first, channel, ahead } = firstTarget(core, caller, { virtual, considered, steps, headers });
  const { prepared, price, demand } = first;
  const record = recordOf(incoming, caller, prepared, channel, began);
  if (virtual.hasOwnPrice) record.model = virtual.name;
  record.route = { asked: virtual.name, served: prepared.model, steps };
  const { hold, exposure, held } = await takeHold(core, {
    requestId: incoming.requestId,
    prepared,
    price,
    record,
    plans,
    tags: () => tagsGiven(headers, asked.fields),
    demand,
    dearest: Math.max(0, ...ahead.map((each) => each.demand.amount)),
    models: 1 + ahead.length,
  });
  const route: Route = { virtual, current: first, ahead, held, isLate: false };
  return { prepared, price, channel, record, hold, exposure, route };
}

async function consider(core: Core, virtual: VirtualModel, call: AskedCall): Promise<Considered[]> {
  try {
    return await considerTargets(core, virtual, call);
  } catch (error) {
    if (error instanceof AmountError) throw new RelayError('invalid_body', { detail: 'amount' });
    throw error;
  }
}

interface Choice {
  virtual: VirtualModel;
  considered: readonly Considered[];
  /** Gets those that cannot be tried now. */
  steps: RouteStep[];
  headers: Headers;
}

/** The first target with a free channel, which counts as busy from now on. */
function firstTarget(core: Core, caller: Caller, { virtual, considered, steps, headers }: Choice) {
  let refusal: RelayError | undefined;
  for (const [index, { model, skipped, open }] of considered.entries()) {
    if (open === undefined) {
      steps.push({ model, why: skipped ?? '' });
      continue;
    }
    const found = channelOf(core, caller, open, headers);
    if (!(found instanceof RelayError)) {
      const ahead = considered.slice(index + 1).flatMap(({ open: later }) => later ?? []);
      return { first: open, channel: found, ahead };
    }
    refusal ??= found;
    const kind = refusalKind(found);
    if (kind !== undefined && !open.target.fallBackOn.has(kind)) throw found;
    steps.push({ model, why: kind ?? found.code });
  }
  throw refusal ?? nobodyAnswers(core, caller, virtual, considered);
}

function nobodyAnswers(
  { catalog }: Core,
  { group }: Caller,
  { name }: VirtualModel,
  considered: readonly Considered[],
): RelayError {
  const isAll = (reason: Considered['skipped']) => considered.every(({ skipped }) => skipped === reason);
  if (isAll('no_channel')) return noChannel(catalog.current, group, name);
  if (isAll('no_price')) return new RelayError('no_price', { model: name });
  if (isAll('unsupported')) return new RelayError('model_not_here', { model: name }, { param: 'model' });
  return new RelayError('no_target', { model: name }, { param: 'model' });
}

/** An error when none can take the call now. */
function channelOf(
  core: Core,
  caller: Caller,
  { prepared }: OpenTarget,
  headers: Headers,
): Channel | RelayError {
  try {
    return firstChannel(core, caller, prepared, headers);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** Our own refusal of a target before anything was sent, such as a conversion that would lose something. */
export interface RefusedHere {
  kind: 'refused';
  error: RelayError;
}

/** An attempt that ends when its target sends nothing in the time that it has. */
export async function attemptTarget(
  core: Core,
  call: RunningCall,
  route: Route,
  tried: number[],
): Promise<AttemptResult | RefusedHere> {
  const seconds = call.prepared.isStream ? route.current.target.firstTokenSeconds : undefined;
  route.isLate = false;
  const timer =
    seconds === undefined
      ? undefined
      : setTimeout(() => {
          route.isLate = true;
          if (call.race === undefined) call.outbound?.abort();
          else call.race.stop();
        }, seconds * 1000);
  try {
    const result = await attemptInTime(core, call, call.channel, tried);
    if (result.kind === 'failure' && route.isLate && !call.hasLeft)
      return { kind: 'failure', failure: { ...networkFailure('timeout'), isHurried: true } };
    return result;
  } catch (error) {
    if (error instanceof RelayError && refusalKind(error) !== undefined) return { kind: 'refused', error };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The channel of the next target after a failed attempt; undefined: the caller gets the failure. */
export function fallBack(core: Core, call: RunningCall, failure: UpstreamFailure): Channel | undefined {
  return call.route === undefined ? undefined : nextTarget(core, call, call.route, fallbackKind(failure));
}

export function fallBackAfterRefusal(core: Core, call: RunningCall, error: RelayError): Channel | undefined {
  return call.route === undefined ? undefined : nextTarget(core, call, call.route, refusalKind(error));
}

function nextTarget(
  core: Core,
  call: RunningCall,
  route: Route,
  failed: FallbackKind | undefined,
): Channel | undefined {
  let kind = failed;
  let { target } = route.current;
  const steps: RouteStep[] = call.record.route?.steps ?? [];
  while (kind !== undefined && target.fallBackOn.has(kind)) {
    steps.push({ model: target.model, why: kind });
    const next = nextHeld(call, route, steps);
    if (next === undefined) return undefined;
    const found = channelOf(core, call.caller, next, call.request.headers);
    if (!(found instanceof RelayError)) {
      enter(core, call, route, next);
      return found;
    }
    ({ target } = next);
    kind = refusalKind(found);
  }
  return undefined;
}

/** The next target that the hold pays for: a balance that is too small for the dearest one may pay for another. */
function nextHeld(call: RunningCall, { ahead }: Route, steps: RouteStep[]): OpenTarget | undefined {
  for (;;) {
    const next = ahead.shift();
    if (next === undefined || call.hold.amount >= next.demand.least) return next;
    steps.push({ model: next.target.model, why: 'hold' });
  }
}

/** From now on the call is one of this target. */
function enter(core: Core, call: RunningCall, route: Route, next: OpenTarget): void {
  const { prepared, price, demand } = next;
  const { hold, record } = call;
  route.current = next;
  call.prepared = prepared;
  call.price = price;
  call.limits = demand.exposure.limits;
  call.cover = prepared.isStream ? new StreamCover(hold, demand.exposure) : undefined;
  call.isNewPrompt = core.observer?.began(prepared);
  if (!route.virtual.hasOwnPrice) record.model = prepared.model;
  record.upstreamModel = prepared.model;
  record.kept = prepared.kept;
  if (record.route !== undefined) record.route.served = prepared.model;
  delete record.outputLimit;
  lowerToHold(core.settings, prepared, record, demand, route.held);
  // After a crash the call is recovered as one of this model.
  hold.renew(new CallSnapshot(price, record));
  call.isNoted = false;
}
