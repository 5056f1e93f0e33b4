// The relay as server/app/app.ts sees it: routes for Bun.serve, WebSocket handlers, and a drain.
import type { WebSocketHandler } from 'bun';
import type { ChannelLimits } from '#contract/relay/channel-limits.ts';
import type { OrderFigures } from '#contract/relay/channel-order.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { openCostBook } from '#server/money/costs/index.ts';
import { createTokenCache, signingTools } from '#server/models/providers/signing/tools.ts';
import { createAnswerCache } from './answer-cache/cache.ts';
import { createAuthenticator } from './caller/authenticate.ts';
import { createBreaker } from './channel-choice/breaker.ts';
import { limitedName, openCatalog } from './channel-choice/catalog.ts';
import { weightFactor } from './channel-choice/weight-factor.ts';
import { createConversations } from './conversations/conversations.ts';
import { createKeptConversations } from './conversations/kept-conversations.ts';
import { CALLER_SECONDS } from './request/connection.ts';
import type { Core } from './pipeline/core.ts';
import { openGate, STALLED_READER_SECONDS, type RelayDependencies } from './pipeline/dependencies.ts';
import { limitsOf, standingOf, type ModelStanding } from './channel-choice/channel-standing.ts';
import { createChannelGuard } from './channel-choice/channel-guard.ts';
import { createChannelHealth } from './channel-choice/channel-health.ts';
import { createFirstTokens } from './channel-choice/first-tokens.ts';
import { createChannelOrders } from './channel-choice/select.ts';
import { createChannelSpeeds } from './channel-choice/channel-speeds.ts';
import { createRefusals } from './caller/refusals.ts';
import { createWarmChannels } from '#server/relay/channel-choice/warm-channels.ts';
import { createLearnedFormats } from './channel-choice/learned-formats.ts';
import { createLiveStreams } from './answer/live-streams.ts';
import { realtimeHandlers } from './realtime/handlers.ts';
import type { RealtimeSession } from './realtime/session.ts';
import { createRoutes } from './routes/routes.ts';
import type { RelayHandler } from './entry/handler.ts';
import { endRevoked } from './answer/revocation.ts';
import { findPrice } from './money/admission.ts';
import { createBudgetBook } from './money/budget-book.ts';
import { createHedgeBook } from './money/hedge-book.ts';
import { createUsageAlerts } from './money/usage-alerts.ts';
import { createRunningCalls } from './call/running-calls.ts';
import type { Simulation, SimulationRequest } from '#contract/relay/virtual-models.ts';
import { simulateVirtual } from './virtual-models/simulate.ts';
import { openShadowCalls, type ShadowCalls } from './shadow-calls/copies.ts';
import { openVirtualModels } from './virtual-models/book.ts';
import { createWordFilter } from './request/word-filter.ts';

export type { RelayDependencies, SessionUser } from './pipeline/dependencies.ts';
export type { CallerSeconds } from './request/connection.ts';

export interface Relay {
  /** What server/relay/tasks shares with the relay: authentication, channels, prices. */
  readonly core: Core;
  /** Copies of calls to other models. */
  readonly shadows: ShadowCalls;
  /** By the platform's patterns for paths. */
  readonly routes: Record<string, RelayHandler | { POST: RelayHandler }>;
  /** The handler of a path without a route that is a misspelt one of the relay's. */
  readonly handlerOfMisspeltPath: (request: Request) => RelayHandler | undefined;
  /** For `Bun.serve({ websocket })`. */
  readonly websocket: WebSocketHandler<RealtimeSession>;
  /** Reads the channels anew; an announcement does the same a moment later. */
  reload(): Promise<void>;
  /** What limits of the upstream do to calls of one model. */
  standingOf(channelId: number, model: string): ModelStanding;
  /** What is paused and what is left, of one channel and of all. */
  limitsOf(channelId: number): ChannelLimits;
  allLimits(): Iterable<{ id: number; limits: ChannelLimits }>;
  /** Why this node cannot use a channel; undefined when it can. */
  channelProblem(channelId: number): string | undefined;
  /** What decides the place of a channel inside its priority; undefined for one that this node cannot use. */
  orderFigures(channelId: number, model: string): Promise<OrderFigures | undefined>;
  /** The price of a call by this group, or why the relay would refuse it. */
  priceOf(model: string, group: string): PriceSnapshot | PriceRefusal;
  /** Which model would answer a request; throws a RelayError for one that no call could have. */
  simulate(request: SimulationRequest): Promise<Simulation>;
  /** How many calls hold money now. */
  readonly calls: number;
  /** New calls are refused from now on; running ones go on. */
  drain(): void;
  /** After the server has stopped: waits until calls that were cut are paid for. False: some were not in time. */
  settled(timeoutSeconds?: number): Promise<boolean>;
  /** After that; writes what is counted. */
  close(): Promise<void>;
}

const HEARTBEAT_SECONDS = 15;

export async function createRelay(dependencies: RelayDependencies): Promise<Relay> {
  const { store, settings, log } = dependencies;
  const beat = dependencies.heartbeatSeconds ?? HEARTBEAT_SECONDS;
  const costs = await openCostBook(store, settings, log);
  const catalog = await openCatalog(store, log, (score) => weightFactor(settings.current, score));
  const core: Core = {
    copies: { choose: () => undefined },
    ...dependencies,
    authenticator: createAuthenticator(store),
    catalog,
    virtualModels: await openVirtualModels(store, log),
    breaker: createBreaker(undefined, (id, model) => limitedName(catalog.current.channel(id), model)),
    guard: createChannelGuard(store, () => settings.current, log),
    health: createChannelHealth(store, log),
    refusals: createRefusals(store, log),
    usageAlerts: createUsageAlerts(store, log),
    costs,
    budgets: createBudgetBook(store, settings),
    orders: createChannelOrders({
      order: () => settings.current.ChannelOrder,
      costs,
      speeds: createChannelSpeeds(store, log),
    }),
    firstTokens: createFirstTokens(settings),
    hedges: createHedgeBook(store, settings, log),
    warm: createWarmChannels(() => settings.current.ConversationAffinityEnabled),
    learned: createLearnedFormats(store, log),
    answers: createAnswerCache(store, settings, log),
    gate: dependencies.gate ?? openGate(),
    running: createRunningCalls(dependencies.ledger),
    streams: createLiveStreams(),
    signing: signingTools(
      { fetch: (url, request) => dependencies.egress.fetch('channel', url, request) },
      createTokenCache(),
    ),
    conversations: createConversations(store, log),
    keptConversations: createKeptConversations(store, log),
    heartbeatSeconds: beat,
    seconds: { ...CALLER_SECONDS, ...dependencies.callerSeconds },
    ...fromSettings(dependencies),
    isDraining: false,
  };
  const shadows = await openShadowCalls(core);
  core.copies = shadows;
  let downWeight = downWeightOf(settings);
  const stopListening = settings.onChange(() => {
    Object.assign(core, fromSettings(dependencies));
    if (downWeight === (downWeight = downWeightOf(settings))) return;
    core.catalog.reload().catch((error: unknown) => log.error('channels could not be reloaded', { error }));
  });
  const stopRevoking = endRevoked(store, core.streams, log);
  return {
    core,
    shadows,
    ...createRoutes(core),
    websocket: realtimeHandlers(core.seconds.silentSocket),
    reload: () => core.catalog.reload(),
    ...shown(core),
    get calls() {
      return dependencies.ledger.openCalls;
    },
    drain() {
      core.isDraining = true;
    },
    settled: (timeoutSeconds = 10) => allEnded(dependencies.ledger, timeoutSeconds),
    async close() {
      await shadows.close();
      stopListening();
      stopRevoking();
      await closeParts(core);
    },
  };
}

/** What is counted and not yet written is written. */
async function closeParts(core: Core): Promise<void> {
  core.authenticator.close();
  core.catalog.close();
  core.virtualModels.close();
  core.costs.close();
  core.running.close();
  core.streams.close();
  const { health, refusals, hedges, answers } = core;
  await Promise.all([health.flush(), refusals.flush(), hedges.flush(), answers.close()]);
}

/** What pages ask of channels, limits and prices. */
function shown(
  core: Core,
): Pick<
  Relay,
  'standingOf' | 'limitsOf' | 'allLimits' | 'priceOf' | 'simulate' | 'channelProblem' | 'orderFigures'
> {
  const { breaker, catalog } = core;
  return {
    standingOf: (channelId, model) =>
      standingOf(breaker, catalog.current.channel(channelId), channelId, model),
    limitsOf: (channelId) => limitsOf(breaker, channelId, Date.now() / 1000),
    allLimits: () =>
      [...catalog.current.all()].map(({ id }) => ({
        id,
        limits: limitsOf(breaker, id, Date.now() / 1000),
      })),
    priceOf: (model, group) => findPrice(core, model, group),
    simulate: (request) => simulateVirtual(core, request),
    channelProblem: (channelId) => catalog.current.problem(channelId),
    async orderFigures(channelId, model) {
      await core.orders.refresh();
      const channel = catalog.current.channel(channelId);
      return channel && core.orders.figures({ channel, weight: 0 }, model);
    },
  };
}

/** False when some call had not ended after so long. */
async function allEnded(ledger: Pick<Ledger, 'openCalls'>, timeoutSeconds: number): Promise<boolean> {
  const until = performance.now() + timeoutSeconds * 1000;
  while (ledger.openCalls > 0 && performance.now() < until) await Bun.sleep(5);
  return ledger.openCalls === 0;
}

/** Weights of channels depend on these settings. */
function downWeightOf({ current }: RelayDependencies['settings']): string {
  return `${current.SupplierDownWeightBelow} ${current.SupplierDownWeightFactor}`;
}

/** What is compiled from settings, anew for each change. */
function fromSettings({
  settings: { current },
  timeouts,
}: RelayDependencies): Pick<Core, 'prices' | 'filter' | 'timeouts'> {
  const isFiltering = current.CheckSensitiveEnabled && current.CheckSensitiveOnPromptEnabled;
  return {
    prices: createPriceCache(current, builtInPrice),
    timeouts: {
      firstByteSeconds: current.RelayFirstByteSeconds,
      idleSeconds: current.RelayIdleSeconds,
      totalSeconds: current.RelayTotalSeconds,
      stalledReaderSeconds: STALLED_READER_SECONDS,
      ...timeouts,
    },
    filter: isFiltering ? createWordFilter(current.SensitiveWords) : undefined,
  };
}
