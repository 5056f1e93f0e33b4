// The interface between a stream's money and its content. A carrier reads the upstream's bytes and decides which text the
// caller gets; the stream writes and counts that text and holds the end back until the call is settled.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';

/**
 * `quota`: the balance ended before the answer did. `error`: the upstream sent an error event. `revoked`: the caller's
 * rights ended.
 */
export type StreamEnding =
  | 'complete'
  | 'client_left'
  | 'broken'
  | 'timeout'
  | 'error'
  | 'quota'
  | 'revoked'
  | 'unavailable';

/** The result of the settlement, as far as the last events depend on it. */
export interface Conclusion {
  problem: RelayError | undefined;
  /** What was charged where the upstream reported nothing. */
  estimated: Usage | undefined;
  /** A comment that is sent before the end. */
  comment: string;
  /** What was charged, where the answer is complete and the upstream's report was believed as it was. */
  exact?: Usage | undefined;
}

/** What a carrier may do with its stream. */
export interface Host {
  readonly hasBegun: boolean;
  readonly isOver: boolean;
  /** The first valid event: from now on the caller has an answer. */
  begin(): void;
  /** No event came that could be passed on. */
  refuse(error: Record<string, unknown> | undefined): void;
  emit(text: string, tokens: number): void;
  /** Counts tokens of content in text that is held back for the end. */
  count(tokens: number, held?: string): void;
  keepUsage(usage: CanonicalUsage): void;
  /** `words`: what the upstream or the connection said about it, for operators. */
  finish(ending: StreamEnding, words?: string): void;
}

export interface Carrier {
  /** Called once, before any other method. */
  attach(host: Host): void;
  data(bytes: Uint8Array): void;
  /** The upstream ended the answer. */
  end(): void;
  /** The usage in the last event, where the upstream sends it with every event. */
  lastUsage(): CanonicalUsage | undefined;
  /** The model as the upstream's answer names it. */
  namedModel(): string | undefined;
  /** The last text, once the charge is durable. */
  closing(ending: StreamEnding, conclusion: Conclusion): Promise<string>;
  /** Keeps the caller's connection while the upstream is silent. */
  readonly heartbeat: string;
}
