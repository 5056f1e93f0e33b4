// Which targets of a virtual model can answer a call, in order, and why not the others. Nothing is sent or held here.
import type { SkipReason } from '#contract/relay/virtual-reasons.ts';
import type { Tags } from '#server/relay/request/tags.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import { conversationKey, traitsOf } from '#server/relay/request/traits.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { spokenFormat } from '#server/relay/channel-choice/select.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { attribute, findPrice, type Pricing } from '#server/relay/money/admission.ts';
import type { BudgetBook } from '#server/relay/money/budget-book.ts';
import { demandOf, type Demand } from '#server/relay/money/demand.ts';
import { Exposure } from '#server/relay/money/exposure.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { CompiledTarget, VirtualModel } from './book.ts';
import type { CallFacts } from './conditions.ts';

export interface PlanParts extends Pricing {
  readonly store: Store;
  readonly settings: SettingsReader;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly budgets: BudgetBook;
}

/** A call that names the virtual model. */
export interface AskedCall {
  readonly headers: Pick<Headers, 'get'>;
  readonly caller: Caller;
  readonly prepared: PreparedCall;
  readonly began: Moment;
}

/** A target that can answer. */
export interface OpenTarget {
  readonly target: CompiledTarget;
  readonly prepared: PreparedCall;
  readonly price: PriceSnapshot;
  readonly demand: Demand;
}

export interface Considered {
  readonly model: string;
  readonly skipped: SkipReason | undefined;
  /** Undefined when it is skipped. */
  readonly open: OpenTarget | undefined;
}

/** Every target with the reason why it is skipped; the first open one is tried first, the others after it. */
export async function considerTargets(
  parts: PlanParts,
  virtual: VirtualModel,
  call: AskedCall,
): Promise<Considered[]> {
  const facts = await factsOf(parts, virtual, call);
  const considered: Considered[] = [];
  let last: CompiledTarget | undefined;
  let budgets: string | undefined;
  for (const target of virtual.targets) {
    const found = openTarget(parts, { virtual, call, facts }, target);
    const { model } = target;
    if (typeof found === 'string') {
      considered.push({ model, skipped: found, open: undefined });
      continue;
    }
    // The one before it names no failure after which this one would be tried; or an administrator chose the channel.
    if (last !== undefined && (last.fallBackOn.size === 0 || call.caller.channelId !== undefined)) {
      considered.push({ model, skipped: 'not_next', open: undefined });
      continue;
    }
    // The hold counts in the budgets of the first one.
    const own = await budgetsOf(parts, virtual, call, model);
    budgets ??= own;
    if (own !== budgets) {
      considered.push({ model, skipped: 'other_budget', open: undefined });
      continue;
    }
    last = target;
    considered.push({ model, skipped: undefined, open: found });
  }
  return considered;
}

async function factsOf(
  { ledger, settings, store }: PlanParts,
  virtual: VirtualModel,
  { headers, caller, prepared, began }: AskedCall,
): Promise<CallFacts> {
  const { fields } = prepared;
  const { SiteTimeZone, QuotaPerUnit } = settings.current;
  let tags: Tags | undefined;
  let traits: ReturnType<typeof traitsOf> | undefined;
  let draw: number | undefined;
  return {
    headers,
    group: caller.group,
    reasoningEffort: prepared.reasoningEffort,
    at: began.at,
    timeZone: SiteTimeZone,
    tags: () => (tags ??= tagsGiven(headers, fields)),
    traits: () => (traits ??= traitsOf(fields)),
    draw: () => (draw ??= drawOf(`${virtual.name}\n${caller.userId}\n${conversationKey(headers, fields)}`)),
    spendable: virtual.asksBudget ? (await spendableBy({ ledger, store }, caller)) / QuotaPerUnit : undefined,
  };
}

const DRAWS = 1_000_000;

/** Spreads texts evenly from 0 to below 100; the same on every node. */
const drawOf = (text: string): number => (Number(Bun.hash.wyhash(text) % BigInt(DRAWS)) / DRAWS) * 100;

/** The balance, and what is left of an API key with a quota. */
async function spendableBy(
  { ledger, store }: Pick<PlanParts, 'ledger' | 'store'>,
  { userId, tokenId }: Caller,
): Promise<number> {
  const [balance, token] = await Promise.all([
    ledger.balance(userId),
    store.db
      .selectFrom('tokens')
      .select(['remain_quota', 'unlimited_quota'])
      .where('id', '=', tokenId)
      .executeTakeFirst(),
  ]);
  return token === undefined || token.unlimited_quota === 1 ? balance : Math.min(balance, token.remain_quota);
}

interface Asked {
  virtual: VirtualModel;
  call: AskedCall;
  facts: CallFacts;
}

function openTarget(
  parts: PlanParts,
  { virtual, call, facts }: Asked,
  target: CompiledTarget,
): OpenTarget | SkipReason {
  const { caller, began } = call;
  const { model } = target;
  const { settings } = parts;
  const prepared = call.prepared.as?.(model, virtual.namesAnswered ? model : virtual.name);
  if (prepared === undefined) return 'unsupported';
  const missing = missingChannel(parts, caller, prepared);
  if (missing !== undefined) return missing;
  const price = findPrice(parts, virtual.hasOwnPrice ? virtual.name : model, caller.group, began);
  if (typeof price === 'string') return 'no_price';
  const demand = demandOf(settings, prepared, price);
  const { exposure } = demand;
  const targetFacts = {
    call: facts,
    promptTokens: prepared.estimate.promptTokens,
    contextTokens: exposure.limits.contextTokens,
    mostCost: () => mostCostOf(settings, { prepared, price, demand }),
  };
  const failed = target.conditions.find((condition) => !condition.holds(targetFacts));
  return failed?.name ?? { target, prepared, price, demand };
}

/** Dollars that the call can cost at most; its hold may be larger, because a hold is at least PreConsumedQuota. */
export function mostCostOf(
  { current }: SettingsReader,
  { prepared, price, demand }: Pick<OpenTarget, 'prepared' | 'price' | 'demand'>,
): number {
  const exact = new Exposure(prepared, price, demand.exposure.limits, 0);
  return exact.costOf(exact.outputTokens) / current.QuotaPerUnit;
}

/** Undefined: some channel of the group can serve the model, whether it is busy or not. */
function missingChannel(
  { catalog }: PlanParts,
  { group, channelId }: Caller,
  { model, endpoint, affinity }: PreparedCall,
): SkipReason | undefined {
  if (channelId !== undefined) return undefined;
  const channels = catalog.current.tiers(group, model).flat();
  if (channels.length === 0) return catalog.current.isTaskOnly(group, model) ? 'unsupported' : 'no_channel';
  const speaking = channels.filter(
    ({ channel }) => spokenFormat(channel, endpoint.format, model) !== undefined,
  );
  if (speaking.length === 0) return 'unsupported';
  // A conversation that one upstream keeps goes on there.
  const isElsewhere =
    affinity?.isRequired === true && speaking.every(({ channel }) => channel.id !== affinity.channelId);
  return isElsewhere ? 'other_channel' : undefined;
}

/** The counters of the budgets of the caller's organization that would count the call. */
async function budgetsOf(
  parts: PlanParts,
  virtual: VirtualModel,
  { caller, headers, prepared }: AskedCall,
  target: string,
): Promise<string> {
  if (caller.organization === undefined) return '';
  const record = { caller, model: virtual.hasOwnPrice ? virtual.name : target } as CallRecord;
  return await attribute(parts, record, () => tagsGiven(headers, prepared.fields));
}
