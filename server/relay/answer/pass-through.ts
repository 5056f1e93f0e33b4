// Carries a stream whose upstream speaks the caller's format: bytes pass as they came, in whole events; only what counts
// for money is read.
import { ascii, byteText, bytesOf, encodeText, type ByteText } from '#server/egress/index.ts';
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/openai-usage.ts';
import { endsEvent, EventSplitter, EventTooLargeError, readEvent } from '#server/formats/sse.ts';
import type { Carrier, Conclusion, Host, StreamEnding } from './carrier.ts';
import { neutralClosing } from './closing-event.ts';
import type { Dialect, EventFacts } from './dialects/index.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';
import { withoutNullUsage } from './event-bytes.ts';
import { EventShapes } from './event-shape.ts';
import { usageChunk } from './usage-chunk.ts';

export interface PassThroughOptions {
  dialect: Dialect;
  /** Usage was asked for by us, not by the caller. */
  hidesUsage: boolean;
  /** The caller wants a usage chunk of a format that has one, whoever counted. */
  addsUsage: boolean;
  /** Chat and completions end with [DONE]; typed streams end with their closing event. */
  endsWithDone: boolean;
  eventLimitBytes: number;
  /** An error after the head has left, in the caller's words. */
  errorEvent(error: RelayError): string;
  /** Sees the closing event of a typed stream. */
  onClosing?: ((event: unknown) => Promise<void>) | undefined;
}

export class PassThrough implements Carrier {
  readonly heartbeat = ': keep-alive\n\n';
  readonly #options: PassThroughOptions;
  readonly #dialect: Dialect;
  readonly #splitter: EventSplitter;
  readonly #shapes: EventShapes | undefined;
  /** What the caller sees of events without usage. */
  readonly #show: (events: ByteText) => ByteText;
  #host!: Host;
  #head: Record<string, unknown> = {};
  #tail = ascii('');
  #closingEvent: unknown;
  /** Looks like the last event of a dialect without a closing one. */
  #kept: ByteText | undefined;
  #lastPart: ByteText | undefined;
  #usage: CanonicalUsage | undefined;

  constructor(options: PassThroughOptions) {
    this.#options = options;
    this.#dialect = options.dialect;
    this.#splitter = new EventSplitter(options.eventLimitBytes);
    this.#show = options.hidesUsage ? withoutNullUsage : asItIs;
    const { wordsBegin, paddingBegins } = options.dialect;
    this.#shapes = wordsBegin === undefined ? undefined : new EventShapes(wordsBegin, paddingBegins);
  }

  attach(host: Host): void {
    this.#host = host;
  }

  data(bytes: Buffer, start: number, end: number): void {
    const host = this.#host;
    if (
      host.hasBegun &&
      this.#splitter.heldBytes === 0 &&
      this.#kept === undefined &&
      endsEvent(bytes, start, end)
    ) {
      if (this.#likeTheLast(bytes, start, end) || this.#plain(byteText(bytes, start, end))) return;
    }
    try {
      for (const event of this.#splitter.push(bytes.subarray(start, end))) {
        this.#event(event);
        if (host.isOver) return;
      }
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error;
      host.finish('broken');
    }
  }

  /** False: it has to be looked at. */
  #likeTheLast(bytes: Buffer, start: number, end: number): boolean {
    const shapes = this.#shapes;
    const shownEnd = shapes === undefined ? -1 : shapes.match(bytes, start, end);
    if (shapes === undefined || shownEnd < 0) return false;
    this.#lastPart = shapes.sample;
    this.#host.emit(byteText(bytes, start, shownEnd), shapes.tokens);
    return true;
  }

  /** False: it has to be read. */
  #plain(events: ByteText): boolean {
    if (!this.#dialect.isPlain(events)) return false;
    const shown = this.#show(events);
    const tokens = this.#dialect.tokensOf(shown);
    this.#lastPart = shown;
    this.#host.emit(shown, tokens);
    this.#shapes?.learn(events, shown, tokens, this.#show);
    return true;
  }

  end(): void {
    const host = this.#host;
    const rest = this.#splitter.rest();
    if (rest !== undefined) this.#event(rest);
    if (host.isOver) return;
    if (this.#kept !== undefined) {
      this.#tail = this.#kept;
      return host.finish('complete');
    }
    // An upstream that stops without a word in the middle of an answer has broken off, however politely.
    const isWhole =
      (this.#usage !== undefined && this.#dialect.mergeUsage === undefined) ||
      (this.#lastPart !== undefined && this.#dialect.tellsFinish(this.#lastPart));
    host.finish(isWhole ? 'complete' : 'broken');
  }

  lastUsage(): CanonicalUsage | undefined {
    if (!this.#dialect.tellsUsageAlways) return undefined;
    const last = this.#kept ?? this.#lastPart;
    if (last === undefined) return undefined;
    const splitter = new EventSplitter(this.#options.eventLimitBytes);
    const [event] = splitter.push(bytesOf(last)).slice(-1);
    return event === undefined ? undefined : this.#dialect.facts(parse(readEvent(event).data)).usage;
  }

  async closing(ending: StreamEnding, { problem, estimated, comment }: Conclusion): Promise<ByteText> {
    if (problem !== undefined)
      return ascii((this.#kept ?? '') + encodeText(this.#options.errorEvent(problem)));
    const counted =
      estimated !== undefined && this.#options.addsUsage ? usageChunk(this.#head, estimated) : '';
    const told = encodeText(counted + comment);
    if (ending !== 'complete') return told;
    if (this.#closingEvent !== undefined) await this.#options.onClosing?.(this.#closingEvent);
    const end = this.#tail === '' && this.#options.endsWithDone ? 'data: [DONE]\n\n' : this.#tail;
    return ascii(told + end);
  }

  #event(wire: Uint8Array): void {
    const host = this.#host;
    const { data, empty } = readEvent(wire);
    const bytes = byteText(asBuffer(wire), 0, wire.length);
    if (empty) {
      // A comment before the first event must not send the response head.
      if (host.hasBegun) host.emit(bytes, 0);
      return;
    }
    if (data === '[DONE]') {
      this.#tail = bytes;
      host.finish('complete');
      return;
    }
    const event = parse(data);
    // Half an object cannot be passed on, and what follows it cannot be trusted.
    if (event === undefined && host.hasBegun) return host.finish('broken');
    const facts = this.#dialect.facts(event);
    if (facts.usage !== undefined) {
      this.#report(facts.usage, facts.mayClose === true);
    }
    if (!host.hasBegun) {
      if (event === undefined || (facts.error !== undefined && !facts.isClosing)) {
        host.refuse(facts.error);
        return;
      }
      if (isObject(event)) this.#head = event;
      host.begin();
    }
    this.#pass(bytes, event, facts);
  }

  #report(usage: CanonicalUsage, isLast: boolean): void {
    if (this.#dialect.tellsUsageAlways && !isLast) return;
    this.#usage =
      this.#usage === undefined ? usage : (this.#dialect.mergeUsage?.(this.#usage, usage) ?? usage);
    this.#host.keepUsage(this.#usage);
  }

  #pass(bytes: ByteText, event: unknown, facts: EventFacts): void {
    const host = this.#host;
    if (this.#kept !== undefined) {
      host.emit(this.#kept, 0);
      this.#kept = undefined;
    }
    if (facts.error !== undefined && !facts.isClosing) return host.finish('error');
    if (facts.isClosing) {
      this.#closingEvent = event;
      this.#tail = facts.error === undefined ? bytes : encodeText(neutralClosing(bytes, event));
      return host.finish('complete');
    }
    if (facts.mayClose === true) {
      host.count(this.#dialect.tokensOf(bytes));
      this.#kept = bytes;
      return;
    }
    if (!this.#options.hidesUsage) return this.#emit(bytes);
    if (facts.isUsageOnly) return;
    if (facts.usage === undefined || !isObject(event)) return this.#emit(withoutNullUsage(bytes));
    const { usage: _hidden, ...shown } = event;
    this.#emit(encodeText(`data: ${JSON.stringify(shown)}\n\n`));
  }

  #emit(bytes: ByteText): void {
    this.#lastPart = bytes;
    this.#host.emit(bytes, this.#dialect.tokensOf(bytes));
  }
}

const asItIs = (events: ByteText): ByteText => events;

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
