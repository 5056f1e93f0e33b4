// What the relay must read of a stream that passes as it came: what it used, whether it failed, whether it ends. One reader
// for each style of events; everything else in the bytes is the caller's business.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';

export interface EventFacts {
  usage: CanonicalUsage | undefined;
  /** Nothing but usage: what a caller who did not ask for usage never sees. */
  isUsageOnly: boolean;
  error: Record<string, unknown> | undefined;
  /** The closing event of a typed stream. */
  isClosing: boolean;
  /** May be the last event of a dialect without a closing one: held back until the upstream ends the body. */
  mayClose?: boolean;
}

export interface Dialect {
  /** True for whole events without anything the relay must read. They end with a blank line. */
  isPlain(text: string): boolean;
  facts(event: unknown): EventFacts;
  /** Tokens of content in whole events as received. */
  tokensOf(text: string): number;
  /** The content in one event, or in a whole answer. */
  textsOf(event: unknown): readonly string[];
  /** Tokens of content in one event, or in a whole answer. */
  tokensOfContent(event: unknown): number;
  /** The usage in a whole answer. */
  usageIn(answer: Readonly<Record<string, unknown>>): CanonicalUsage | undefined;
  /** True for text that ends an answer although no closing event came. */
  hasFinish(text: string): boolean;
  /** Every event has the usage so far: the last one is read when the stream is over. */
  readonly hasUsageAlways: boolean;
  /** Joins two reports of the same stream, where each has a part. */
  mergeUsage?(before: CanonicalUsage, now: CanonicalUsage): CanonicalUsage;
}
