// Prices a call and takes its hold before anything is sent; a refusal becomes the caller's error.
import { budgetEnd } from '#contract/money/budget-windows.ts';
import { formatMoney } from '#contract/money/quota-text.ts';
import { siteTime } from '#contract/site-day.ts';
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
import { RelayError, type RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import { demandOf, lowerToHold, type Demand, type Held } from './demand.ts';
import type { Exposure } from './exposure.ts';
import { Hold } from './hold.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';
import type { Tags } from '#server/relay/request/tags.ts';
import type { Attribution, BudgetBook, RefusingBudget } from './budget-book.ts';
import { CallSnapshot, type Attempt, type CallRecord } from './log-row.ts';
import { PlanEmptyError } from './payers.ts';

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
  channel: Channel,
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
  const { ledger, settings, breaker, timeouts } = parts;
  const { requestId, prepared, price, record, plans, tags, models = 1 } = request;
  const { caller } = record;
  try {
    // A prompt that is too dear to count is refused here.
    const demand = request.demand ?? demandOf(settings, prepared, price);
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
    lowerToHold(settings, prepared, record, demand, held);
    return { hold: new Hold(ledger, opening.call, amount), exposure: demand.exposure, held };
  } catch (error) {
    breaker.end(record.channelId);
    if (error instanceof AmountError) throw new RelayError('invalid_body', { detail: 'amount' });
    if (error instanceof LedgerUnavailableError)
      throw new RelayError('unavailable', {}, { retryAfterSeconds: 1 });
    throw error;
  }
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

const REFUSALS = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_token_quota: 'insufficient_token_quota',
  user_unavailable: 'user_disabled',
  token_unavailable: 'invalid_api_key',
  token_expired: 'token_expired',
  requests_per_minute: 'rate_limited',
  tokens_per_minute: 'tokens_limited',
  concurrent_calls: 'concurrency_limited',
  day_budget: 'day_budget',
  month_budget: 'month_budget',
  organization_budget: 'organization_budget',
} as const satisfies Record<Exclude<Refusal['reason'], 'plan_empty'>, RelayErrorCode>;

/** The limits that a key shares with the others of its project. */
const PROJECT_REFUSALS: Partial<Record<Refusal['reason'], RelayErrorCode>> = {
  requests_per_minute: 'project_rate_limited',
  tokens_per_minute: 'project_tokens_limited',
};

/** What a refused call would have held. */
export interface RefusedDemand {
  readonly price: PriceSnapshot;
  readonly needed: number;
  /** Of the site: a budget is of its days. */
  readonly zone: string;
  /** Of an organization, which has refused the call. */
  readonly budget?: RefusingBudget | undefined;
}

export function refusalError(
  refusal: Refusal,
  caller: Caller,
  demand: RefusedDemand,
): RelayError | PlanEmptyError {
  if (refusal.reason === 'plan_empty') return new PlanEmptyError();
  // Another node knew it first; the next call is told why.
  if (refusal.reason === 'user_unavailable' && caller.organization !== undefined)
    return new RelayError('organization_suspended', { reason: '' });
  const code = REFUSALS[refusal.reason];
  const isRate = refusal.reason.endsWith('_minute') || refusal.reason === 'concurrent_calls';
  const { retryAfterSeconds } = refusal;
  if (isRate && refusal.subject === 'token' && caller.rateLimitMessage !== '') {
    return new RelayError(code, {}, { message: caller.rateLimitMessage, retryAfterSeconds });
  }
  const project = refusal.subject === 'project' ? PROJECT_REFUSALS[refusal.reason] : undefined;
  if (project !== undefined) return new RelayError(project, {}, { retryAfterSeconds });
  const { price, needed, zone, budget } = demand;
  const dollars = (amount: number) => formatMoney(amount / price.quotaPerUnit);
  const resets = siteTime(zone, budgetEnd(retryAfterSeconds));
  const parameters = { needed: dollars(needed), left: dollars(refusal.available), resets, zone };
  if (code !== 'organization_budget') return new RelayError(code, parameters, { retryAfterSeconds });
  const { name = '', owners = '', isTotal = false } = budget ?? {};
  const named = { ...parameters, name, owners };
  if (isTotal) return new RelayError('organization_budget_total', named);
  return new RelayError(code, named, { retryAfterSeconds });
}
