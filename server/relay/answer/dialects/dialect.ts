// What the relay must read of a stream that passes as it came: what it used, whether it failed, whether it ends. One reader
// for each style of events; everything else in the bytes is the caller's business.
import type { CanonicalUsage } from '#server/formats/canonical.ts';

export interface EventFacts {
  usage: CanonicalUsage | undefined;
  /** Nothing but usage: what a caller who did not ask for usage never sees. */
  isUsageOnly: boolean;
  error: Record<string, unknown> | undefined;
  /** The closing event of a typed stream. */
  isClosing: boolean;
  /** The answer has its end here, but the dialect has no closing event: kept back until the upstream hangs up. */
  mayClose?: boolean;
}

export interface Dialect {
  /** Whole events that hold nothing the relay must read. They end with a blank line. */
  isPlain(text: string): boolean;
  facts(event: unknown): EventFacts;
  /** Tokens of content in whole events as they stood on the wire. */
  tokensOf(text: string): number;
  /** What stands before the words, and a quote behind them, in nearly every event; undefined where events differ in more. */
  readonly textBegins: string | undefined;
  /** What stands before random letters that pad an event, where the supplier does so. */
  readonly paddingBegins?: string;
  /** Tokens of content in one event, or in a whole answer. */
  tokensOfContent(event: unknown): number;
  /** The usage a whole answer tells. */
  usageIn(answer: Readonly<Record<string, unknown>>): CanonicalUsage | undefined;
  /** Bytes that tell the answer had its end although no closing event came. */
  hasFinish(text: string): boolean;
  /** Every event tells the usage so far: the last one is read when the stream is over. */
  readonly hasUsageAlways: boolean;
  /** One report out of two of the same stream, where each tells a part. */
  mergeUsage?(before: CanonicalUsage, now: CanonicalUsage): CanonicalUsage;
}
