// Carries a stream from an upstream to the caller. The words are the carrier's business; here is what all streams share:
// the first event, what was delivered, back-pressure, and an end that is held back until the call has been paid for.
import type { StreamedBody } from '#server/relay/caller/stream-response.ts';
import {
  ascii,
  type Answer,
  type BodySink,
  type ByteText,
  type ConnectionError,
  type OutboundCall,
} from '#server/egress/index.ts';
import { FirstEventError } from '#server/relay/errors/upstream-failure.ts';
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { totalTokens } from '#server/formats/openai-usage.ts';
import type { Carrier, Conclusion, Host, StreamEnding } from './carrier.ts';
import { Output } from './output.ts';

export type { StreamEnding } from './carrier.ts';

export interface StreamResult {
  ending: StreamEnding;
  usage: CanonicalUsage | undefined;
  /** Tokens of content the caller was sent. */
  deliveredTokens: number;
  /** Those sent after the usage was reported, and not part of it. */
  unreportedTokens: number;
  firstEventAt: number;
}

export interface StreamOwner {
  /** Pays for the call. What it answers is told to the caller before the end. */
  conclude(result: StreamResult): Promise<Conclusion>;
  begun(): void;
  /** Asked now and then while output flows: false ends the stream for lack of balance. */
  covers(deliveredTokens: number): boolean | Promise<boolean>;
}

/** Events in a form that is not server-sent events. */
export interface Reframing {
  frame(events: ByteText): ByteText;
  close(): ByteText;
}

/** How often the hold is compared with what was sent. */
const checkEveryBytes = 16 * 1024;

export class EventStream implements BodySink, Host {
  readonly first: Promise<void>;
  /** Set with each write; who visits the stream resets it. */
  hasWritten = true;
  hasBegun = false;
  isOver = false;
  /** Tokens of content sent so far. */
  deliveredTokens = 0;
  readonly #settleFirst: { resolve: () => void; reject: (error: unknown) => void };
  readonly #outbound: OutboundCall;
  readonly #answer: Answer;
  readonly #owner: StreamOwner;
  readonly #carrier: Carrier;
  readonly #reframing: Reframing | undefined;
  readonly #output: Output;
  #usage: CanonicalUsage | undefined;
  /** How much had been delivered when the usage was reported. */
  #reportedAt = 0;
  #hasReported = false;
  #firstEventAt = 0;
  #uncheckedBytes = 0;
  #isChecking = false;

  constructor(
    outbound: OutboundCall,
    answer: Answer,
    owner: StreamOwner,
    carrier: Carrier,
    reframing?: Reframing,
  ) {
    this.#outbound = outbound;
    this.#answer = answer;
    this.#owner = owner;
    this.#carrier = carrier;
    this.#reframing = reframing;
    carrier.attach(this);
    const first = Promise.withResolvers<void>();
    this.first = first.promise;
    this.#settleFirst = first;
    this.#output = new Output({
      full: () => answer.pause(),
      drained: () => {
        if (!this.#isChecking) answer.resume();
      },
      left: () => this.clientLeft(),
    });
  }

  /** Begins to read; `first` settles with the first event. */
  start(): void {
    this.#answer.receive(this);
  }

  get body(): StreamedBody {
    return this.#output;
  }

  clientLeft(): void {
    this.finish('client_left');
  }

  heartbeat(): void {
    // Only whole events are ever written, so a comment cannot fall into one. A write to a caller who does not read would
    // restart the public port's clock for such callers.
    if (!this.hasBegun || this.isOver || this.#output.isBehind) return;
    this.#write(ascii(this.#carrier.heartbeat));
    this.#output.flush();
  }

  data(bytes: Buffer, start: number, end: number): void {
    if (!this.isOver) this.#carrier.data(bytes, start, end);
  }

  flush(): void {
    this.#output.flush();
  }

  end(): void {
    if (!this.isOver) this.#carrier.end();
  }

  fail(error: ConnectionError): void {
    if (error.reason === 'timeout')
      this.finish(error.message === 'the reader stalled' ? 'client_left' : 'timeout');
    else this.finish('broken');
  }

  begin(): void {
    this.hasBegun = true;
    this.#firstEventAt = performance.now();
    this.#owner.begun();
    this.#settleFirst.resolve();
  }

  refuse(error: Record<string, unknown> | undefined): void {
    this.isOver = true;
    this.#outbound.abort();
    this.#settleFirst.reject(new FirstEventError(error));
  }

  /** Running totals and repetitions both end with the largest. */
  keepUsage(usage: CanonicalUsage): void {
    this.#hasReported = true;
    if (this.#usage === undefined || totalTokens(usage) >= totalTokens(this.#usage)) this.#usage = usage;
  }

  emit(bytes: ByteText, tokens: number): void {
    this.count(tokens);
    this.#write(bytes);
    this.#uncheckedBytes += bytes.length;
    if (this.#uncheckedBytes >= checkEveryBytes && !this.#isChecking) this.#check();
  }

  count(tokens: number): void {
    this.deliveredTokens += tokens;
    // A report in the same event is about that event too.
    if (!this.#hasReported) return;
    this.#hasReported = false;
    this.#reportedAt = this.deliveredTokens;
  }

  #write(bytes: ByteText): void {
    this.hasWritten = true;
    this.#output.write(this.#reframing === undefined ? bytes : this.#reframing.frame(bytes));
  }

  /** Makes sure the hold still covers what flows; the upstream waits meanwhile. */
  #check(): void {
    this.#uncheckedBytes = 0;
    const covered = this.#owner.covers(this.deliveredTokens);
    if (covered === true) return;
    if (covered === false) return this.finish('quota');
    this.#isChecking = true;
    this.#answer.pause();
    covered.then(
      (isCovered) => {
        this.#isChecking = false;
        if (isCovered) this.#answer.resume();
        else this.finish('quota');
      },
      () => {
        this.#isChecking = false;
        this.finish('quota');
      },
    );
  }

  finish(ending: StreamEnding): void {
    if (this.isOver) return;
    this.isOver = true;
    if (ending === 'complete') this.#outbound.drain();
    else this.#outbound.abort();
    if (!this.hasBegun) {
      this.#settleFirst.reject(new FirstEventError(undefined, ending));
      return;
    }
    void this.#conclude(ending);
  }

  async #conclude(ending: StreamEnding): Promise<void> {
    const { deliveredTokens } = this;
    const last = this.#carrier.lastUsage();
    if (last !== undefined) this.keepUsage(last);
    const reportedAt = this.#hasReported ? deliveredTokens : this.#reportedAt;
    const conclusion = await this.#owner.conclude({
      ending,
      usage: this.#usage,
      deliveredTokens,
      unreportedTokens: deliveredTokens - reportedAt,
      firstEventAt: this.#firstEventAt,
    });
    if (ending !== 'client_left') {
      const closing = await this.#carrier.closing(ending, conclusion);
      if (closing !== '') this.#write(closing);
      if (this.#reframing !== undefined) this.#output.write(this.#reframing.close());
      this.#output.flush();
    }
    this.#output.close();
  }
}
