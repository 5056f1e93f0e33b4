// Carries a stream whose upstream speaks the caller's format: whole events pass unchanged; only what counts for money is
// read.
import { unixSeconds } from '#contract/time.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/openai-usage.ts';
import { endsEvent, EventSplitter, EventTooLargeError, readEventText } from '#server/models/formats/sse.ts';
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';
import type { Carrier, Conclusion, Host, StreamEnding } from './carrier.ts';
import type { Dialect, EventFacts } from './dialects/index.ts';
import { problemIn } from '#server/relay/errors/upstream-failure.ts';
import { neutralText, type RelayError } from '#server/relay/errors/relay-error.ts';
import { modelIn, modelNamedIn, withShownModel } from './shown-model.ts';
import { withoutNullUsage } from './event-text.ts';

/** What a stream that breaks off had sent. */
export interface BrokenStream {
  /** Its first event. */
  head: Readonly<Record<string, unknown>>;
  /** The text of its last events. */
  last: string;
}

export interface PassThroughOptions {
  dialect: Dialect;
  /** Whether the first event is one of the format. */
  isEvent(first: unknown): boolean;
  /** The relay asked for usage, the caller did not. */
  hidesUsage: boolean;
  /** The caller asked for a usage chunk; it gets one even when the upstream sent none. */
  addsUsage: boolean;
  /** Chat and completions end with [DONE]; typed streams end with their closing event. */
  endsWithDone: boolean;
  /** The caller's name of a mapped model; undefined when the upstream has the same. */
  shownModel: string | undefined;
  eventLimitBytes: number;
  /** An error after the head was sent, in the caller's format. */
  errorEvent(error: RelayError, broken: BrokenStream): string;
  /** Called with the closing event of a typed stream. */
  onClosing?: ((event: unknown) => Promise<void>) | undefined;
}

export class PassThrough implements Carrier {
  readonly heartbeat = ': keep-alive\n\n';
  readonly #options: PassThroughOptions;
  readonly #dialect: Dialect;
  readonly #splitter: EventSplitter;
  /** What the caller sees of events without usage. */
  readonly #show: (events: string) => string;
  #host!: Host;
  #head: Record<string, unknown> = {};
  #tail = '';
  #closingEvent: unknown;
  /** May be the last event of a dialect without a closing one. */
  #kept: string | undefined;
  #lastPart: string | undefined;
  #usage: CanonicalUsage | undefined;
  /** The error that the upstream sent in the stream. */
  #said: Readonly<Record<string, unknown>> | undefined;
  #named: string | undefined;
  /** Chunks without a choice that came before the first with one: alone they are no answer. */
  #early: { wire: string; event: unknown; facts: EventFacts }[] = [];

  constructor(options: PassThroughOptions) {
    this.#options = options;
    this.#dialect = options.dialect;
    this.#splitter = new EventSplitter(options.eventLimitBytes);
    this.#show = options.hidesUsage ? withoutNullUsage : asItIs;
  }

  attach(host: Host): void {
    this.#host = host;
  }

  data(bytes: Uint8Array): void {
    const host = this.#host;
    const isWhole = this.#splitter.heldBytes === 0 && endsEvent(bytes, 0, bytes.length);
    if (isWhole && host.hasBegun && this.#kept === undefined && this.#isPlain(this.#text(bytes))) return;
    try {
      for (const event of this.#splitter.push(bytes)) {
        this.#event(this.#text(event));
        if (host.isOver) return;
      }
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error;
      host.finish('broken');
    }
  }

  #text(bytes: Uint8Array): string {
    const text = decoder.decode(bytes);
    const { shownModel } = this.#options;
    if (shownModel === undefined) return text;
    this.#named ??= modelNamedIn(text);
    return withShownModel(text, shownModel);
  }

  /** Passes events that need not be parsed. */
  #isPlain(events: string): boolean {
    if (!this.#dialect.isPlain(events)) return false;
    this.#emit(this.#show(events));
    return true;
  }

  end(): void {
    const host = this.#host;
    const rest = this.#splitter.rest();
    if (rest !== undefined) this.#event(this.#text(rest));
    if (host.isOver) return;
    if (this.#kept !== undefined) {
      this.#tail = this.#kept;
      return host.finish('complete');
    }
    // An upstream that stops in the middle of an answer has broken off, even if it ended the HTTP body properly.
    const isWhole =
      (this.#usage !== undefined && this.#dialect.mergeUsage === undefined) ||
      (this.#lastPart !== undefined && this.#dialect.hasFinish(this.#lastPart));
    host.finish(isWhole ? 'complete' : 'broken');
  }

  lastUsage(): CanonicalUsage | undefined {
    if (!this.#dialect.hasUsageAlways) return undefined;
    const last = this.#kept ?? this.#lastPart;
    if (last === undefined) return undefined;
    const splitter = new EventSplitter(this.#options.eventLimitBytes);
    const [event] = splitter.push(Buffer.from(last)).slice(-1);
    if (event === undefined) return undefined;
    return this.#dialect.facts(parse(readEventText(decoder.decode(event)).data)).usage;
  }

  namedModel(): string | undefined {
    return this.#options.shownModel === undefined ? modelIn(this.#head) : this.#named;
  }

  async closing(ending: StreamEnding, { problem, estimated, comment }: Conclusion): Promise<string> {
    if (problem !== undefined) {
      const broken = { head: this.#head, last: this.#lastPart ?? '' };
      return (this.#kept ?? '') + this.#options.errorEvent(problemIn(this.#said, problem), broken);
    }
    const counted =
      estimated !== undefined && this.#options.addsUsage ? usageChunk(this.#head, estimated) : '';
    if (ending !== 'complete') return counted + comment;
    if (this.#closingEvent !== undefined) await this.#options.onClosing?.(this.#closingEvent);
    const end = this.#tail === '' && this.#options.endsWithDone ? 'data: [DONE]\n\n' : this.#tail;
    return counted + comment + end;
  }

  #event(wire: string): void {
    const host = this.#host;
    const { data, empty } = readEventText(wire);
    if (empty) {
      // A comment before the first event must not send the response head.
      if (host.hasBegun) host.emit(wire, 0);
      return;
    }
    if (data === '[DONE]') {
      this.#tail = wire;
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
      const error = facts.isClosing ? undefined : facts.error;
      if (event === undefined || error !== undefined) return host.refuse(error);
      if (!this.#options.isEvent(event))
        return host.refuse({ code: 'not_an_answer', message: data.slice(0, 300) });
      if (isEmptyChunk(event)) {
        this.#early.push({ wire, event, facts });
        return;
      }
      this.#begin(event);
    }
    this.#pass(wire, event, facts);
  }

  #begin(event: unknown): void {
    const early = this.#early;
    const head = early[0]?.event ?? event;
    if (isObject(head)) this.#head = head;
    this.#host.begin();
    this.#early = [];
    for (const each of early) this.#pass(each.wire, each.event, each.facts);
  }

  #report(usage: CanonicalUsage, isLast: boolean): void {
    if (this.#dialect.hasUsageAlways && !isLast) return;
    this.#usage =
      this.#usage === undefined ? usage : (this.#dialect.mergeUsage?.(this.#usage, usage) ?? usage);
    this.#host.keepUsage(this.#usage);
  }

  #pass(wire: string, event: unknown, facts: EventFacts): void {
    const host = this.#host;
    if (this.#kept !== undefined) {
      host.emit(this.#kept, 0);
      this.#kept = undefined;
    }
    if (facts.error !== undefined && !facts.isClosing) {
      this.#said = facts.error;
      return host.finish('error', wordsIn(facts.error));
    }
    if (facts.isClosing) {
      this.#closingEvent = event;
      this.#tail = facts.error === undefined ? wire : neutralClosing(wire, event);
      return host.finish('complete');
    }
    if (facts.mayClose === true) {
      host.count(this.#dialect.tokensOf(wire), wire);
      this.#kept = wire;
      return;
    }
    if (!this.#options.hidesUsage) return this.#emit(wire);
    if (facts.isUsageOnly) return;
    if (facts.usage === undefined || !isObject(event)) return this.#emit(withoutNullUsage(wire));
    const { usage: _hidden, ...shown } = event;
    this.#emit(`data: ${JSON.stringify(shown)}\n\n`);
  }

  #emit(text: string): void {
    this.#lastPart = text;
    this.#host.emit(text, this.#dialect.tokensOf(text));
  }
}

/** Of Chat or completions, with an empty list of choices: the report of a filter, or of usage. */
const isEmptyChunk = (event: unknown): boolean =>
  isObject(event) && Array.isArray(event['choices']) && event['choices'].length === 0;

/** The message of an error, else all of it. */
function wordsIn(error: Readonly<Record<string, unknown>>): string {
  const { message } = error;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

const decoder = new TextDecoder();

const asItIs = (events: string): string => events;

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}

/** A closing event that reports a failure: with its usage, without the supplier's names. */
function neutralClosing(wire: string, event: unknown): string {
  const { event: name } = readEventText(wire);
  const text = JSON.stringify(event, (key, value: unknown) =>
    key === 'message' && typeof value === 'string' ? (neutralText(value) ?? '') : value,
  );
  return `${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

/** The usage chunk a caller asked for when the upstream sent none: OpenAI's shape, no choices, last before the end. */
function usageChunk(head: Readonly<Record<string, unknown>>, usage: Usage): string {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const chunk = {
    id: head['id'] ?? '',
    object: head['object'] ?? 'chat.completion.chunk',
    created: head['created'] ?? unixSeconds(),
    model: head['model'] ?? '',
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
