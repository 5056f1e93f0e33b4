// Carries a stream from an upstream to the caller: bytes pass as they came, in whole events; the relay reads only what it
// must. The end of the stream is held back until the call has been paid for.
import type { Answer, BodySink, ConnectionError, OutboundCall } from '#server/egress/index.ts';
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { readFacts, type EventFacts } from '#server/formats/openai-events.ts';
import { isObject, totalTokens } from '#server/formats/openai-usage.ts';
import { endsEvent, EventSplitter, EventTooLargeError, readEvent } from '#server/formats/sse.ts';
import { neutralClosing } from './closing-event.ts';
import { asBuffer, isPlain, tellsFinish, withoutNullUsage } from './event-bytes.ts';
import { Output } from './output.ts';
import { tokensOfEvents } from './tokens.ts';

/** `quota`: the balance ended before the answer did. `error`: the upstream said so inside the stream. */
export type StreamEnding = 'complete' | 'client_left' | 'broken' | 'timeout' | 'error' | 'quota';

export interface StreamResult {
  ending: StreamEnding;
  usage: CanonicalUsage | undefined;
  /** Tokens of content the caller was sent. */
  deliveredTokens: number;
  firstEventAt: number;
}

export interface StreamOwner {
  /** Pays for the call. What it answers goes out before the end: an error event, a usage chunk, a comment. */
  conclude(result: StreamResult): Promise<string>;
  begun(): void;
  /** Asked now and then while output flows: false ends the stream for lack of balance. */
  covers(deliveredTokens: number): boolean | Promise<boolean>;
}

export interface StreamOptions {
  /** Usage was asked for by us, not by the caller. */
  hidesUsage: boolean;
  /** Chat and completions end with [DONE]; typed streams end with their closing event. */
  endsWithDone: boolean;
  eventLimitBytes: number;
}

/** How often the hold is compared with what was sent. */
const checkEveryBytes = 16 * 1024;

export class EventStream implements BodySink {
  readonly first: Promise<void>;
  /** Set with each write; who visits the stream resets it. */
  hasWritten = true;
  readonly #settleFirst: { resolve: () => void; reject: (error: unknown) => void };
  readonly #outbound: OutboundCall;
  readonly #answer: Answer;
  readonly #owner: StreamOwner;
  readonly #options: StreamOptions;
  readonly #splitter: EventSplitter;
  readonly #output: Output;
  #usage: CanonicalUsage | undefined;
  #firstEventAt = 0;
  #head: Record<string, unknown> = {};
  #tail: Uint8Array | string = '';
  #deliveredTokens = 0;
  #uncheckedBytes = 0;
  #lastPart: Uint8Array | undefined;
  #isOver = false;
  #isChecking = false;

  constructor(outbound: OutboundCall, answer: Answer, owner: StreamOwner, options: StreamOptions) {
    this.#outbound = outbound;
    this.#answer = answer;
    this.#owner = owner;
    this.#options = options;
    this.#splitter = new EventSplitter(options.eventLimitBytes);
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

  body(): ReadableStream {
    return this.#output.body();
  }

  /** Id, model and time of the first chunk, for a chunk of our own. */
  get head(): Readonly<Record<string, unknown>> {
    return this.#head;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  clientLeft(): void {
    this.#finish('client_left');
  }

  /** Tokens of content sent so far. */
  get deliveredTokens(): number {
    return this.#deliveredTokens;
  }

  heartbeat(): void {
    // Only whole events are ever written, so a comment cannot fall into one.
    if (this.#firstEventAt === 0 || this.#isOver) return;
    this.#write(': keep-alive\n\n');
    this.#output.flush();
  }

  data(part: Uint8Array): void {
    if (this.#isOver) return;
    const bytes = asBuffer(part);
    if (
      this.#firstEventAt !== 0 &&
      this.#splitter.heldBytes === 0 &&
      endsEvent(bytes, bytes.length) &&
      isPlain(bytes)
    ) {
      this.#emit(this.#options.hidesUsage ? withoutNullUsage(bytes) : bytes);
      return;
    }
    try {
      for (const event of this.#splitter.push(bytes)) {
        this.#event(asBuffer(event));
        if (this.#isOver) return;
      }
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error;
      this.#finish('broken');
    }
  }

  flush(): void {
    this.#output.flush();
  }

  end(): void {
    if (this.#isOver) return;
    const rest = this.#splitter.rest();
    if (rest !== undefined) this.#event(asBuffer(rest));
    // An upstream that stops without a word in the middle of an answer has broken off, however politely.
    const isWhole =
      this.#usage !== undefined || (this.#lastPart !== undefined && tellsFinish(this.#lastPart));
    this.#finish(isWhole ? 'complete' : 'broken');
  }

  fail(error: ConnectionError): void {
    if (error.reason === 'timeout')
      this.#finish(error.message === 'the reader stalled' ? 'client_left' : 'timeout');
    else this.#finish('broken');
  }

  #event(bytes: Buffer): void {
    const { data, empty } = readEvent(bytes);
    if (empty) {
      // A comment before the first event must not send the response head.
      if (this.#firstEventAt !== 0) this.#emit(bytes);
      return;
    }
    if (data === '[DONE]') {
      this.#tail = bytes;
      this.#finish('complete');
      return;
    }
    const event = parse(data);
    // Half an object cannot be passed on, and what follows it cannot be trusted.
    if (event === undefined && this.#firstEventAt !== 0) return this.#finish('broken');
    const facts = readFacts(event);
    if (facts.usage !== undefined) this.#keepUsage(facts.usage);
    if (this.#firstEventAt === 0) {
      if (event === undefined || (facts.error !== undefined && !facts.isClosing)) {
        this.#isOver = true;
        this.#outbound.abort();
        this.#settleFirst.reject(new FirstEventError(facts.error));
        return;
      }
      this.#firstEventAt = performance.now();
      if (isObject(event)) this.#head = event;
      this.#owner.begun();
      this.#settleFirst.resolve();
    }
    this.#pass(bytes, event, facts);
  }

  #pass(bytes: Buffer, event: unknown, facts: EventFacts): void {
    if (facts.error !== undefined && !facts.isClosing) return this.#finish('error');
    if (facts.isClosing) {
      this.#tail = facts.error === undefined ? bytes : neutralClosing(bytes, event);
      return this.#finish('complete');
    }
    if (!this.#options.hidesUsage) return this.#emit(bytes);
    if (facts.isUsageOnly) return;
    if (facts.usage === undefined || !isObject(event))
      return this.#emit(withoutNullUsage(Buffer.from(bytes)));
    const { usage: _hidden, ...shown } = event;
    this.#emit(Buffer.from(`data: ${JSON.stringify(shown)}\n\n`));
  }

  /** Running totals and repetitions both end with the largest. */
  #keepUsage(usage: CanonicalUsage): void {
    if (this.#usage === undefined || totalTokens(usage) >= totalTokens(this.#usage)) this.#usage = usage;
  }

  #emit(bytes: Buffer): void {
    this.#lastPart = bytes;
    this.#deliveredTokens += tokensOfEvents(bytes);
    this.#uncheckedBytes += bytes.length;
    this.#write(bytes);
    if (this.#uncheckedBytes >= checkEveryBytes && !this.#isChecking) this.#check();
  }

  #write(bytes: Uint8Array | string): void {
    this.hasWritten = true;
    this.#output.write(bytes);
  }

  /** Makes sure the hold still covers what flows; the upstream waits meanwhile. */
  #check(): void {
    this.#uncheckedBytes = 0;
    const covered = this.#owner.covers(this.#deliveredTokens);
    if (covered === true) return;
    if (covered === false) return this.#finish('quota');
    this.#isChecking = true;
    this.#answer.pause();
    covered.then(
      (isCovered) => {
        this.#isChecking = false;
        if (isCovered) this.#answer.resume();
        else this.#finish('quota');
      },
      () => {
        this.#isChecking = false;
        this.#finish('quota');
      },
    );
  }

  #finish(ending: StreamEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (ending === 'complete') this.#outbound.drain();
    else this.#outbound.abort();
    if (this.#firstEventAt === 0) {
      this.#settleFirst.reject(new FirstEventError(undefined, ending));
      return;
    }
    void this.#conclude(ending);
  }

  async #conclude(ending: StreamEnding): Promise<void> {
    const deliveredTokens = this.#deliveredTokens;
    const result = { ending, usage: this.#usage, deliveredTokens, firstEventAt: this.#firstEventAt };
    const before = await this.#owner.conclude(result);
    if (ending !== 'client_left') {
      if (before !== '') this.#write(before);
      if (ending === 'complete') {
        if (this.#tail !== '') this.#write(this.#tail);
        else if (this.#options.endsWithDone) this.#write('data: [DONE]\n\n');
      }
      this.#output.flush();
    }
    this.#output.close();
  }
}

/** No event came that could be passed on: another channel may still be tried. */
export class FirstEventError extends Error {
  override name = 'FirstEventError';
  readonly error: Record<string, unknown> | undefined;
  readonly ending: StreamEnding;
  constructor(error: Record<string, unknown> | undefined, ending: StreamEnding = 'error') {
    super('no event came');
    this.error = error;
    this.ending = ending;
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
