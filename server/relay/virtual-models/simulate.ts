// Which model would answer a request that somebody pastes: every target of a virtual model with the reason why it is skipped. Nothing
// is sent, held or counted.
import type { Simulation, SimulationRequest } from '#contract/relay/virtual-models.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Breaker } from '#server/relay/channel-choice/breaker.ts';
import type { FirstTokens } from '#server/relay/channel-choice/first-tokens.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { geminiEndpoints, relayEndpoints, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { isRepeatable } from '#server/relay/request/repeatable.ts';
import { parseJson } from '#server/relay/request/read-body.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { compile, type VirtualModel, type VirtualModels } from './book.ts';
import {
  considerTargets,
  mostCostOf,
  type AskedCall,
  type Considered,
  type OpenTarget,
  type PlanParts,
} from './plan.ts';

const MOST_WAITS = 20;

export interface SimulationParts extends PlanParts {
  readonly virtualModels: VirtualModels;
  readonly breaker: Breaker;
  readonly firstTokens: FirstTokens;
}

export async function simulateVirtual(parts: SimulationParts, asked: SimulationRequest): Promise<Simulation> {
  const { name, draft } = asked;
  const virtual =
    draft === undefined
      ? parts.virtualModels.current.get(name)
      : compile({ ...draft, hedge: draft.hedge ? 1 : 0, targets: JSON.stringify(draft.targets) });
  if (virtual === undefined) return { is_virtual: false, hedging: null, targets: [] };
  const considered = await considerTargets(withSpendable(parts, asked), virtual, callOf(asked));
  const targets: Simulation['targets'] = [];
  for (const each of considered) {
    const isChosen = targets.some(({ outcome }) => outcome === 'first');
    targets.push(viewOf(parts, asked.group, each, isChosen ? 'next' : 'first'));
  }
  const first = considered[targets.findIndex(({ outcome }) => outcome === 'first')]?.open;
  return { is_virtual: true, hedging: hedgingOf(parts, asked.group, virtual, first), targets };
}

/** Whether a second attempt would be made, and when. */
function hedgingOf(
  { catalog, firstTokens, settings }: SimulationParts,
  group: string,
  virtual: VirtualModel,
  first: OpenTarget | undefined,
): Simulation['hedging'] {
  if (first === undefined) return null;
  const { prepared } = first;
  if (!virtual.isHedged && !settings.current.HedgeGroups.includes(group)) return { state: 'off', waits: [] };
  if (!isRepeatable(prepared)) return { state: 'not_repeatable', waits: [] };
  const waits = catalog.current.tiers(group, prepared.model).flat().slice(0, MOST_WAITS);
  return {
    state: 'on',
    waits: waits.map(({ channel: { id, name } }) => ({
      channel_id: id,
      name,
      milliseconds: firstTokens.lateAfter(id, prepared.model) ?? null,
    })),
  };
}

/** The balance that is tried, in place of a caller's. */
function withSpendable(parts: SimulationParts, { spendable }: SimulationRequest): PlanParts {
  const units = (spendable ?? Number.POSITIVE_INFINITY) * parts.settings.current.QuotaPerUnit;
  return { ...parts, ledger: { balance: async () => units } };
}

function callOf({ name, group, format, request, headers }: SimulationRequest): AskedCall {
  const endpoint = endpointOf(format);
  const body = endpoint.modelInPath ? request : { ...request, model: name };
  const given = new Map(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]));
  const prepared = prepareJsonBody(endpoint, parseJson(JSON.stringify(body)), { model: name });
  return {
    headers: { get: (header: string) => given.get(header) ?? null },
    caller: nobodyIn(group),
    prepared,
    began: { at: Date.now(), requestClass: prepared.requestClass },
  };
}

function endpointOf(format: SimulationRequest['format']): RelayEndpoint {
  const all = [...relayEndpoints, ...Object.values(geminiEndpoints)];
  const found = all.find((each) => each.format === format);
  if (found === undefined) throw new Error(`no endpoint has the format ${format}`);
  return found;
}

const nobodyIn = (group: string): Caller => ({
  userId: 0,
  username: '',
  role: 0,
  group,
  tokenId: 0,
  tokenName: '',
  models: undefined,
  channelId: undefined,
  rateLimitMessage: '',
  isStrict: false,
});

function viewOf(
  { catalog, breaker, settings }: SimulationParts,
  group: string,
  { model, skipped, open }: Considered,
  outcome: 'first' | 'next',
): Simulation['targets'][number] {
  const tiers = catalog.current.tiers(group, model);
  const channels = tiers.flat().length;
  if (open === undefined) {
    const unknown = { prompt_tokens: null, context_tokens: null, most_cost: null, fall_back_on: [] };
    return { model, channels, ...unknown, outcome: 'skipped', reason: skipped ?? null };
  }
  const { prepared, demand, target } = open;
  const { exposure } = demand;
  const isFree = 'channel' in selectChannel(tiers, [], breaker, prepared);
  return {
    model,
    channels,
    prompt_tokens: prepared.estimate.promptTokens,
    context_tokens: exposure.limits.contextTokens ?? null,
    most_cost: mostCostOf(settings, open),
    fall_back_on: [...target.fallBackOn],
    outcome: isFree ? outcome : 'skipped',
    reason: isFree ? null : 'busy',
  };
}
