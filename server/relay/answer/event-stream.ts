// Carries a stream from an upstream to the caller: reads a piece, lets the carrier turn it into text, writes that, and
// reads the next piece when the caller has taken enough. The end is held back until the call is settled.
import { Output, type StreamedBody } from '#server/relay/caller/response.ts';
import { ConnectionError, type Answer, type OutboundCall } from '#server/platform/egress/index.ts';
import { FirstEventError } from '#server/relay/errors/upstream-failure.ts';
import type { StreamRecord } from '#server/relay/call/call-cache.ts';
import type { KeptEvents } from '#server/relay/call/answer-observer.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { totalTokens } from '#server/models/formats/openai-usage.ts';
import type { Carrier, Conclusion, Host, StreamEnding } from './carrier.ts';
import type { Reframing } from './reframing.ts';

export type { StreamEnding } from './carrier.ts';

export interface StreamResult {
  ending: StreamEnding;
  usage: CanonicalUsage | undefined;
  /** Tokens of content the caller was sent. */
  deliveredTokens: number;
  /** Those sent after the usage was reported, and not part of it. */
  unreportedTokens: number;
  firstEventAt: number;
  /** What the upstream or the connection said about a broken end; keys are not masked in it. */
  words: string;
  /** As the upstream's answer names it. */
  namedModel: string | undefined;
}

export interface StreamOwner {
  /** Settles the call. The conclusion decides what the caller reads at the end. */
  conclude(result: StreamResult): Promise<Conclusion>;
  /** The first event has come. False: another attempt of the call has its answer, and this one ends. */
  begun(): boolean;
  /** Extends the hold while output flows; false ends the stream for lack of balance. */
  covers(deliveredTokens: number, reported: CanonicalUsage | undefined): boolean | Promise<boolean>;
  /** After the end was given to the caller. */
  closed(): void;
}

/** What a stream is made of. */
export interface StreamParts {
  outbound: OutboundCall;
  answer: Answer;
  carrier: Carrier;
  reframing: Reframing | undefined;
  /** A caller that takes nothing for this long counts as gone. */
  stalledReaderSeconds: number;
  /** `performance.now()` when the attempt began. */
  attemptedAt: number;
  /** Of the channel: masked in what operators read. */
  key: string;
  /** Set for a sampled stream. */
  kept: KeptEvents | undefined;
  /** Set where equal calls may get the answer too. */
  record: StreamRecord | undefined;
}

/** What a caller asked for beside the answer is not part of it. */
const without = (closing: string, comment: string): string =>
  comment === '' ? closing : closing.replace(comment, '');

/** In the events of every format. */
const THOUGHT = /"thinking|"reasoning|"thought" ?: ?true/;

/** After so much output the hold is compared with it. Larger pieces of the upstream are cut to this size. */
const CHECK_EVERY_BYTES = 16 * 1024;

export class EventStream implements Host {
  readonly first: Promise<void>;
  /** What was sent last. */
  #lastText = '';
  /** Set with each write; the visitor of live streams resets it. */
  hasWritten = true;
  hasBegun = false;
  isOver = false;
  /** Tokens of content sent so far. */
  deliveredTokens = 0;
  readonly #settleFirst: { resolve: () => void; reject: (error: unknown) => void };
  readonly #parts: StreamParts;
  readonly #owner: StreamOwner;
  readonly #output = new Output(() => this.clientLeft());
  readonly #over = Promise.withResolvers<boolean>();
  #usage: CanonicalUsage | undefined;
  /** How much had been delivered when the usage was reported. */
  #reportedAt = 0;
  #hasReported = false;
  #firstEventAt = 0;
  #words = '';
  #uncheckedLength = 0;
  /** The caller has not taken what was flushed last. */
  #isWaiting = false;

  constructor(parts: StreamParts, owner: StreamOwner) {
    this.#parts = parts;
    this.#owner = owner;
    parts.carrier.attach(this);
    const first = Promise.withResolvers<void>();
    this.first = first.promise;
    this.#settleFirst = first;
  }

  get body(): StreamedBody {
    return this.#output;
  }

  /** Reads the answer to its end; `first` settles with the first event. Rejects only for faults of this program. */
  async run(): Promise<void> {
    const { answer, carrier } = this.#parts;
    try {
      for (;;) {
        const piece = await answer.read();
        if (this.isOver) return;
        if (piece === undefined) return carrier.end();
        for (let start = 0; start < piece.length; start += CHECK_EVERY_BYTES) {
          carrier.data(
            piece.length <= CHECK_EVERY_BYTES ? piece : piece.subarray(start, start + CHECK_EVERY_BYTES),
          );
          if (this.isOver) return;
          const taken = this.hasBegun ? this.#output.flush() : undefined;
          if (taken !== undefined) await this.#waitFor(taken);
          if (this.#uncheckedLength >= CHECK_EVERY_BYTES) await this.#check();
          // Both waits may have ended the stream.
          if (this.isOver) return;
        }
      }
    } catch (error) {
      if (this.isOver) return;
      const words = error instanceof Error ? error.message : '';
      this.finish(
        error instanceof ConnectionError && error.reason === 'timeout' ? 'timeout' : 'broken',
        words,
      );
      if (!(error instanceof ConnectionError)) throw error;
    }
  }

  clientLeft(): void {
    this.finish('client_left');
  }

  heartbeat(): void {
    // Only whole events are ever written, so a comment cannot fall into one. A write to a caller who does not read would
    // restart the public port's clock for such callers.
    if (!this.hasBegun || this.isOver || this.#isWaiting) return;
    this.#write(this.#parts.carrier.heartbeat);
    void this.#output.flush();
  }

  begin(): void {
    if (this.isOver) return;
    if (!this.#owner.begun()) return this.finish('client_left');
    this.hasBegun = true;
    this.#firstEventAt = performance.now();
    this.#settleFirst.resolve();
  }

  refuse(error: Record<string, unknown> | undefined): void {
    this.isOver = true;
    this.#parts.outbound.abort();
    this.#settleFirst.reject(new FirstEventError(error));
  }

  /** Running totals and repetitions both end with the largest. */
  keepUsage(usage: CanonicalUsage): void {
    this.#hasReported = true;
    if (this.#usage === undefined || totalTokens(usage) >= totalTokens(this.#usage)) this.#usage = usage;
  }

  emit(text: string, tokens: number): void {
    this.count(tokens, text);
    this.#parts.record?.add(text);
    this.#write(text);
    this.#lastText = text;
    this.#uncheckedLength += text.length;
  }

  count(tokens: number, events = ''): void {
    this.deliveredTokens += tokens;
    if (tokens > 0) this.#parts.kept?.add(events);
    // A report in the same event includes that event.
    if (this.#hasReported) this.#reportedAt = this.deliveredTokens;
    this.#hasReported = false;
  }

  finish(ending: StreamEnding, words = ''): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#words = words;
    this.#over.resolve(true);
    const { outbound } = this.#parts;
    if (ending === 'complete') outbound.drain();
    else outbound.abort();
    if (this.hasBegun) void this.#conclude(ending);
    else this.#settleFirst.reject(new FirstEventError(undefined, ending));
  }

  #write(text: string): void {
    const { reframing } = this.#parts;
    this.hasWritten = true;
    this.#output.write(reframing === undefined ? text : reframing.frame(text));
  }

  /** The upstream is not read until the caller has taken enough. */
  async #waitFor(taken: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#parts.stalledReaderSeconds * 1000);
    taken.then(
      () => resolve(true),
      () => resolve(false),
    );
    this.#isWaiting = true;
    const hasTaken = await Promise.race([promise, this.#over.promise]);
    this.#isWaiting = false;
    clearTimeout(timer);
    if (!hasTaken) this.finish('client_left');
  }

  /** The last event was a thought. What upstreams send of thoughts may be a summary of many more tokens. */
  get isThinking(): boolean {
    return THOUGHT.test(this.#lastText);
  }

  /** Time has passed without visible output. */
  checkCover(): void {
    if (this.hasBegun && !this.isOver) void this.#check();
  }

  /** Makes sure that the hold still covers what flows; the upstream is not read meanwhile. */
  async #check(): Promise<void> {
    this.#uncheckedLength = 0;
    try {
      if (!(await this.#owner.covers(this.deliveredTokens, this.#usage))) this.finish('quota');
    } catch {
      // The database is away: whether the balance covers more is not known.
      this.finish('unavailable');
    }
  }

  async #conclude(ending: StreamEnding): Promise<void> {
    const { carrier, reframing } = this.#parts;
    const { deliveredTokens } = this;
    const last = carrier.lastUsage();
    if (last !== undefined) this.keepUsage(last);
    const reportedAt = this.#hasReported ? deliveredTokens : this.#reportedAt;
    const conclusion = await this.#owner.conclude({
      ending,
      usage: this.#usage,
      deliveredTokens,
      unreportedTokens: deliveredTokens - reportedAt,
      firstEventAt: this.#firstEventAt,
      words: this.#words,
      namedModel: carrier.namedModel(),
    });
    if (ending !== 'client_left') {
      const closing = await carrier.closing(ending, conclusion);
      if (closing !== '') this.#write(closing);
      this.#parts.record?.end(without(closing, conclusion.comment), conclusion.exact);
      if (reframing !== undefined) this.#output.write(reframing.close());
      void this.#output.flush();
    }
    this.#output.close();
    this.#owner.closed();
  }
}
