// Prices a call and takes its hold before anything is sent; a refusal becomes the caller's error.
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { Timeouts } from '#server/platform/egress/index.ts';
import type { Breaker } from '#server/relay/channel-choice/breaker.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Catalog, Channel } from '#server/relay/channel-choice/catalog.ts';
import { noChannel } from '#server/relay/channel-choice/unserved.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import {
  AmountError,
  LedgerUnavailableError,
  type Ledger,
  type PlanChoice,
  type Refusal,
} from '#server/money/ledger/ledger.ts';
import type { PriceCache } from '#server/money/prices/price-cache.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { demandOf, lowerToHold, type Demand, type Held } from './demand.ts';
import type { Exposure } from './exposure.ts';
import { Hold } from './hold.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';
import type { Tags } from '#server/relay/request/tags.ts';
import type { Attribution, BudgetBook, RefusingBudget } from './budget-book.ts';
import { CallSnapshot, type Attempt, type CallRecord } from './log-row.ts';
import { refusalError } from './refusal-error.ts';

/** What prices a call. */
export interface Pricing {
  readonly prices: PriceCache;
  readonly catalog: Catalog;
}

/** What admits a call. */
export interface Admission {
  readonly ledger: Ledger;
  readonly settings: SettingsReader;
  readonly breaker: Breaker;
  readonly timeouts: Timeouts;
  /** Budgets of organizations. */
  readonly budgets: BudgetBook;
}

/** A hold outlives the time limit of its call by this, so that it is recovered only when nobody settles it any more. */
const HOLD_GRACE_SECONDS = 120;

/** Drawings and songs report no tokens, so a price per token cannot charge them. Videos have an estimate. */
const isSoldByPiece = (model: string) =>
  /^(?:mj_|suno_|swap_face$)/.test(model) && builtInPrice(model)?.kind === 'task';

/** The price of a call, or why it would be refused. Lists of models ask it too: they show only what can be called. */
export function findPrice(
  { prices }: Pick<Pricing, 'prices'>,
  model: string,
  group: string,
  moment?: Moment,
): PriceSnapshot | PriceRefusal {
  const price = prices.resolve(model, group, moment);
  if (typeof price === 'object' && price.kind !== 'price' && isSoldByPiece(model)) return 'no_price';
  const isUnknown = price === 'no_price' || (typeof price === 'object' && price.source === 'unknown');
  // A reasoning suffix makes no other model, unless the operator priced the name with its suffix.
  const bare = isUnknown ? readSuffix(model)?.model : undefined;
  return bare === undefined ? price : prices.resolve(bare, group, moment);
}

export function resolvePrice(pricing: Pricing, model: string, group: string, moment?: Moment): PriceSnapshot {
  const { catalog } = pricing;
  const price = findPrice(pricing, model, group, moment);
  if (price === 'no_price') {
    // Without a channel a price would not help: the caller reads the same as for a priced model without a channel.
    if (!catalog.current.isOffered(group, model)) throw noChannel(catalog.current, group, model);
    throw new RelayError('no_price', { model });
  }
  if (price === 'no_group') throw new RelayError('group_not_allowed', { group });
  return price;
}

/** The call as its log row tells it; its attempts are added. */
export function recordOf(
  { address }: Incoming,
  caller: Caller,
  { model, endpoint, isStream, reasoningEffort, kept }: PreparedCall,
  channel: Pick<Channel, 'id' | 'name'>,
  began: Moment,
): CallRecord & { attempts: Attempt[] } {
  return {
    caller,
    model,
    upstreamModel: model,
    channelId: channel.id,
    channelName: channel.name,
    address,
    path: endpoint.path,
    isStream,
    isWebSocket: false,
    reasoningEffort,
    attempts: [],
    conversion: undefined,
    began,
    kept,
  };
}

/** What a hold is taken for. */
export interface HoldRequest {
  readonly requestId: string;
  readonly prepared: PreparedCall;
  readonly price: PriceSnapshot;
  /** Its channel counts as busy already; a refusal frees it. */
  readonly record: CallRecord;
  /** Subscriptions that may pay a part. */
  readonly plans?: PlanChoice | undefined;
  /** Given by the caller; asked only for a call of an organization. */
  readonly tags?: () => Tags;
  /** Where it was computed before. */
  readonly demand?: Demand;
  /** Another model that may answer asks for so much: the hold covers it, if the balance does. */
  readonly dearest?: number;
  /** How many models may be tried, each for as long as a call lasts. */
  readonly models?: number;
}

export interface TakenHold {
  readonly hold: Hold;
  readonly exposure: Exposure;
  readonly held: Held;
}

/** A whole answer holds all that it can cost, or what there is, and then its limit is lowered; a stream holds its first slice. */
export async function takeHold(parts: Admission, request: HoldRequest): Promise<TakenHold> {
  const { settings, breaker } = parts;
  const { prepared, price, record } = request;
  try {
    // A prompt that is too dear to count is refused here.
    const demand = request.demand ?? demandOf(settings, prepared, price);
    const { hold, held } = await openHold(parts, request, demand);
    lowerToHold(settings, prepared, record, demand, held);
    return { hold, exposure: demand.exposure, held };
  } catch (error) {
    breaker.end(record.channelId);
    throw admissionError(error);
  }
}

/** All of what a finished answer costs, or nothing: it goes to no channel, and nothing of it can be lowered. */
export async function takeExactHold(
  parts: Admission,
  request: Omit<HoldRequest, 'demand' | 'dearest' | 'models'>,
  demand: { readonly amount: number; readonly outputTokens: number },
): Promise<Hold> {
  const { amount, outputTokens } = demand;
  try {
    return (await openHold(parts, request, { amount, least: amount, slice: outputTokens })).hold;
  } catch (error) {
    throw admissionError(error);
  }
}

function admissionError(error: unknown): unknown {
  if (error instanceof AmountError) return new RelayError('invalid_body', { detail: 'amount' });
  if (error instanceof LedgerUnavailableError)
    return new RelayError('unavailable', {}, { retryAfterSeconds: 1 });
  return error;
}

async function openHold(
  parts: Admission,
  request: HoldRequest,
  demand: Pick<Demand, 'amount' | 'least' | 'slice'>,
): Promise<Pick<TakenHold, 'hold' | 'held'>> {
  const { ledger, settings, timeouts } = parts;
  const { requestId, prepared, price, record, plans, tags, models = 1 } = request;
  const { caller } = record;
  const { least, slice } = demand;
  const attributing = attribute(parts, record, tags);
  const budgets = typeof attributing === 'string' ? attributing : await attributing;
  const opening = await ledger.open({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    amount: Math.max(demand.amount, request.dearest ?? 0),
    least,
    budgets,
    limits: { tokens: prepared.estimate.promptTokens + slice },
    snapshot: new CallSnapshot(price, record),
    expiresAt: Math.ceil(Date.now() / 1000 + timeouts.totalSeconds * models + HOLD_GRACE_SECONDS),
    plans,
  });
  if (!opening.ok) {
    const zone = settings.current.SiteTimeZone;
    const budget = await refusingBudget(parts, caller, opening);
    throw refusalError(opening, caller, { price, needed: least, zone, budget });
  }
  const { amount, balance } = opening;
  const held = { amount, balance, hasPlans: plans !== undefined };
  return { hold: new Hold(ledger, opening.call, amount), held };
}

const NO_TAGS = (): Tags => ({});

/** The counters of the budgets that apply to the call; its record gets the tags that its organization keeps. */
export function attribute(
  { budgets }: Pick<Admission, 'budgets'>,
  record: CallRecord,
  tags: () => Tags = NO_TAGS,
): string | Promise<string> {
  if (record.caller.organization === undefined) return '';
  const keep = (attribution: Attribution): string => {
    record.tags = attribution.tags;
    return attribution.budgets;
  };
  const attributed = budgets.attribute(record.caller, record.model, tags);
  return attributed instanceof Promise ? attributed.then(keep) : keep(attributed);
}

/** Undefined: no budget has refused the call. */
export async function refusingBudget(
  { budgets }: Pick<Admission, 'budgets'>,
  caller: Caller,
  { counterId }: Refusal,
): Promise<RefusingBudget | undefined> {
  return counterId === undefined ? undefined : await budgets.refusing(caller, counterId);
}

/** A call that costs nothing but counts in the limits of its token and user. */
export async function admitFree(
  core: Pricing & Pick<Admission, 'ledger' | 'settings'>,
  requestId: string,
  record: CallRecord,
): Promise<void> {
  const { ledger, settings } = core;
  const { caller, model } = record;
  const price = resolvePrice(core, model, caller.group);
  const admission = await ledger.open({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    amount: 0,
    limits: { tokens: 0 },
    snapshot: new CallSnapshot(price, record),
    expiresAt: Math.ceil(Date.now() / 1000 + HOLD_GRACE_SECONDS),
  });
  if (!admission.ok)
    throw refusalError(admission, caller, {
      price,
      needed: 0,
      zone: settings.current.SiteTimeZone,
    });
  await ledger.release(admission.call);
}
