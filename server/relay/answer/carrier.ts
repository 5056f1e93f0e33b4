// The seam between a stream's money and its words. A carrier takes the upstream's bytes and says what the caller is to get;
// the stream writes it, counts it, and holds the end back until the call is paid for.
import type { ByteText } from '#server/egress/index.ts';
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import type { Usage } from '#server/billing/usage.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';

/** `quota`: the balance ended before the answer did. `error`: the upstream said so. `revoked`: the caller may call no more. */
export type StreamEnding = 'complete' | 'client_left' | 'broken' | 'timeout' | 'error' | 'quota' | 'revoked';

/** What became of the call in the books, as far as the last bytes tell it. */
export interface Conclusion {
  problem: RelayError | undefined;
  /** What was charged where the upstream reported nothing. */
  estimated: Usage | undefined;
  /** A comment to stand before the end. */
  comment: string;
}

/** What a carrier may tell its stream. */
export interface Host {
  readonly hasBegun: boolean;
  readonly isOver: boolean;
  /** The first event that is one: from now on the caller has an answer. */
  begin(): void;
  /** No event came that could be passed on. */
  refuse(error: Record<string, unknown> | undefined): void;
  emit(bytes: ByteText, tokens: number): void;
  /** Tokens of content in bytes that are kept back for the end. */
  count(tokens: number): void;
  keepUsage(usage: CanonicalUsage): void;
  finish(ending: StreamEnding): void;
}

export interface Carrier {
  /** Called once, before any other. */
  attach(host: Host): void;
  data(bytes: Buffer, start: number, end: number): void;
  /** The upstream has ended properly. */
  end(): void;
  /** What the upstream last said of the usage, where it says it with every event. */
  lastUsage(): CanonicalUsage | undefined;
  /** The last bytes, once the charge is durable. */
  closing(ending: StreamEnding, conclusion: Conclusion): Promise<ByteText>;
  /** Keeps the connection while the upstream is silent. */
  readonly heartbeat: string;
}
