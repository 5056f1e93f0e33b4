// The parts of the relay that live as long as the process, and what one running call carries from step to step.
import type { PriceBook, PriceSnapshot } from '#server/billing/price.ts';
import type { PlainRequest } from '#server/edge/index.ts';
import type { OutboundCall, RosterMember, Timeouts } from '#server/egress/index.ts';
import type { SigningTools } from '#server/providers/provider.ts';
import type { Authenticator, Caller } from '#server/relay/caller/authenticate.ts';
import type { Breaker } from '#server/relay/channels/breaker.ts';
import type { Catalog } from '#server/relay/channels/catalog.ts';
import type { Conversations } from '#server/relay/conversations/conversations.ts';
import type { CallGate, RelayDependencies } from './dependencies.ts';
import type { ChannelGuard } from '#server/relay/channels/channel-guard.ts';
import type { Hold } from '#server/relay/money/hold.ts';
import type { PreparedCall } from '#server/relay/upstream/prepare.ts';
import type { Attempt, CallRecord } from '#server/relay/money/log-row.ts';
import type { RunningCalls } from '#server/relay/call/running-calls.ts';
import type { WordFilter } from '#server/relay/request/word-filter.ts';
import type { CallStream } from '#server/relay/answer/stream-call.ts';
import type { LiveStreams } from '#server/relay/answer/live-streams.ts';

export interface Core {
  readonly dependencies: RelayDependencies;
  readonly authenticator: Authenticator;
  readonly catalog: Catalog;
  readonly breaker: Breaker;
  readonly guard: ChannelGuard;
  readonly gate: CallGate;
  readonly running: RunningCalls;
  readonly streams: LiveStreams;
  readonly timeouts: Timeouts;
  /** For suppliers whose requests are signed, or carry an exchanged token. */
  readonly signing: SigningTools;
  /** What Responses callers may go on with. */
  readonly conversations: Conversations;
  readonly heartbeatSeconds: number;
  /** Connection → caller's address, where no proxy had a say. */
  readonly addresses: Map<string, string>;
  /** Swapped whenever settings change. */
  prices: PriceBook;
  filter: WordFilter | undefined;
  isDraining: boolean;
}

/** A call from its request to its log row. */
export interface RunningCall extends RosterMember {
  readonly requestId: string;
  readonly startedAt: number;
  readonly request: PlainRequest;
  readonly address: string;
  readonly caller: Caller;
  readonly prepared: PreparedCall;
  readonly price: PriceSnapshot;
  readonly hold: Hold;
  readonly record: CallRecord & { attempts: Attempt[] };
  /** The caller wants cost and balance in the answer. */
  readonly wantsReport: boolean;
  /** The connection to the upstream, as long as one is open. */
  outbound: OutboundCall | undefined;
  /** Set once the answer is a stream. */
  stream: CallStream | undefined;
  hasLeft: boolean;
  /** The ledger knows that it has been sent. */
  isNoted: boolean;
}
