// The parts of the relay that live as long as the process. Folders below the pipeline take only the parts they use.
import type { PriceCache } from '#server/money/prices/price-cache.ts';
import type { CostBook } from '#server/money/costs/index.ts';
import type { SigningTools } from '#server/models/providers/provider.ts';
import type { AnswerCache } from '#server/relay/answer-cache/cache.ts';
import type { Authenticator } from '#server/relay/caller/authenticate.ts';
import type { BudgetBook } from '#server/relay/money/budget-book.ts';
import type { Breaker } from '#server/relay/channel-choice/breaker.ts';
import type { Catalog } from '#server/relay/channel-choice/catalog.ts';
import type { Conversations } from '#server/relay/conversations/conversations.ts';
import type { KeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import type { CallGate, RelayDependencies, RelayTimeouts } from './dependencies.ts';
import type { ChannelGuard } from '#server/relay/channel-choice/channel-guard.ts';
import type { ChannelOrders } from '#server/relay/channel-choice/select.ts';
import type { ChannelHealth } from '#server/relay/channel-choice/channel-health.ts';
import type { FirstTokens } from '#server/relay/channel-choice/first-tokens.ts';
import type { CallCopies } from '#server/relay/money/call-copies.ts';
import type { HedgeBook } from '#server/relay/money/hedge-book.ts';
import type { Refusals } from '#server/relay/caller/refusals.ts';
import type { UsageAlerts } from '#server/relay/money/usage-alerts.ts';
import type { LearnedFormats } from '#server/relay/channel-choice/learned-formats.ts';
import type { WarmChannels } from '#server/relay/channel-choice/warm-channels.ts';
import type { RunningCalls } from '#server/relay/call/running-calls.ts';
import type { CallerSeconds } from '#server/relay/request/connection.ts';
import type { WordFilter } from '#server/relay/request/word-filter.ts';
import type { VirtualModels } from '#server/relay/virtual-models/book.ts';
import type { LiveStreams } from '#server/relay/answer/live-streams.ts';

export interface Core extends Omit<
  RelayDependencies,
  'gate' | 'timeouts' | 'heartbeatSeconds' | 'callerSeconds'
> {
  readonly authenticator: Authenticator;
  readonly catalog: Catalog;
  readonly virtualModels: VirtualModels;
  readonly breaker: Breaker;
  readonly guard: ChannelGuard;
  /** Counts attempts for the figures of each channel. */
  readonly health: ChannelHealth;
  /** Counts calls that were refused before any attempt. */
  readonly refusals: Refusals;
  /** Tells the operators of usage that cannot be true. */
  readonly usageAlerts: UsageAlerts;
  readonly costs: CostBook;
  /** Which budgets of organizations apply to a call. */
  readonly budgets: BudgetBook;
  /** Arranges the channels of one priority. */
  readonly orders: ChannelOrders;
  /** How long the first tokens of calls that may be hedged took. */
  readonly firstTokens: FirstTokens;
  readonly hedges: HedgeBook;
  /** Chooses the calls that are copied to another model. */
  copies: CallCopies;
  /** Which channel answered a conversation last. */
  readonly warm: WarmChannels;
  readonly learned: LearnedFormats;
  /** Answers that equal calls get again. */
  readonly answers: AnswerCache;
  readonly gate: CallGate;
  readonly running: RunningCalls;
  readonly streams: LiveStreams;
  readonly timeouts: RelayTimeouts;
  /** For upstreams whose requests are signed or carry an exchanged token. */
  readonly signing: SigningTools;
  /** Stored responses that Responses callers may continue. */
  readonly conversations: Conversations;
  /** Conversations that Responses callers made and name. */
  readonly keptConversations: KeptConversations;
  readonly heartbeatSeconds: number;
  readonly seconds: CallerSeconds;
  /** Replaced when settings change. */
  prices: PriceCache;
  filter: WordFilter | undefined;
  isDraining: boolean;
}
