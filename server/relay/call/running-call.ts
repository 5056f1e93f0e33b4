// State of one running call, from its request to its log row.
import type { ModelLimits } from '#server/money/prices/model-limits.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { OutboundCall, IndexedSetMember } from '#server/platform/egress/index.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { CallCache } from './call-cache.ts';
import type { CopiedCall } from '#server/relay/money/call-copies.ts';
import type { Hold } from '#server/relay/money/hold.ts';
import type { StreamCover } from '#server/relay/money/stream-cover.ts';
import type { Attempt, CallRecord } from '#server/relay/money/log-row.ts';
import type { Route } from '#server/relay/virtual-models/route.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';

/** Attempts of one call at the same time. */
export interface Race {
  /** An attempt has its answer. False: another one had it before, and this one is to end without a trace. */
  claim(attempt: RunningCall): boolean;
  /** Ends the attempts, unless one has its answer. */
  stop(): void;
}

export interface RunningCall extends Incoming, IndexedSetMember {
  readonly caller: Caller;
  prepared: PreparedCall;
  price: PriceSnapshot;
  readonly hold: Hold;
  readonly record: CallRecord & { attempts: Attempt[] };
  /** The caller wants cost and balance in the answer. */
  readonly wantsReport: boolean;
  /** Of the last attempt. */
  channel: Channel;
  /** The connection to the upstream while it is open. */
  outbound: OutboundCall | undefined;
  /** Set once the answer is a stream. */
  stream: { readonly events: { clientLeft(): void; readonly deliveredTokens: number } } | undefined;
  hasLeft: boolean;
  /** What is known of the model. */
  limits: ModelLimits | undefined;
  /** Of a stream: keeps its hold ahead of what the answer can cost. */
  cover: StreamCover | undefined;
  /** The upstream was aborted before its answer began, because the hold could not grow. */
  isUncovered: boolean;
  /** What `AnswerObserver.began` said of the prompt. */
  isNewPrompt: boolean | undefined;
  /** Set where the call is to be copied to another model after its answer. */
  readonly copy: CopiedCall | undefined;
  /** Undefined for a call of a plain model. What is said above of the model changes with the target. */
  readonly route: Route | undefined;
  /** While attempts are raced; each of them has a call of its own, which names the same race. */
  race: Race | undefined;
  /** The ledger knows that the request was sent: from now on a crash charges for it. */
  isNoted: boolean;
  /** Undefined: nothing of the caller's calls is kept. */
  readonly cache: CallCache | undefined;
}
