// Nearly every event of a stream repeats the one before with another text: the same bytes before and after it. Such an
// event passes as bytes: it is not decoded, not searched for usage, errors and ends, and what the caller must not see is
// cut out in place. Some upstreams pad each event with a member of random letters; those may differ as well.
// Without this a chunk costs more than 10 % more processor time (ADR 28).
import { estimateAsciiTokens, estimateTokens } from '#server/relay/request/estimate.ts';

interface Parts {
  /** With the quote that opens the text. */
  before: string;
  /** From the quote that closes the text to the one that opens the padding; without padding to the blank line. */
  after: string;
  /** From the quote that closes the padding to the blank line; empty: there is no padding. */
  end: string;
}

/** Bytes that the caller does not see, by their place in one of the parts. */
interface Cut {
  part: keyof Parts;
  at: number;
  length: number;
}

const QUOTE = 34;
const LF = 10;
const BACKSLASH = 92;
const CLOSE_OBJECT = 125;
const blankLine = '\n\n';
/** Some upstreams put something random into every event: after this many misses no more shapes are learnt. */
const mostMisses = 8;

export class EventShapes {
  /** What precedes the text of a usual event of the dialect. */
  readonly #textBegins: string;
  /** What precedes the padding, where the dialect has one. */
  readonly #paddingBegins: string | undefined;
  #shape: Shape | undefined;
  #misses = 0;

  constructor(textBegins: string, paddingBegins?: string) {
    this.#textBegins = textBegins;
    this.#paddingBegins = paddingBegins;
  }

  /** Tokens of the event that matched last. */
  get tokens(): number {
    return this.#shape?.tokens ?? 0;
  }

  /** The event that was learnt, as the caller sees it. An event that matches differs in text and padding only. */
  get sample(): string | undefined {
    return this.#shape?.sample;
  }

  /**
   * How many bytes of `event` the caller gets if it has the learnt shape: then the rest was cut out of it and `tokens`
   * is set. -1: it has another shape and was not changed.
   */
  match(event: Uint8Array): number {
    const shape = this.#shape;
    if (shape === undefined) return -1;
    const length = shape.match(event);
    this.#misses = length < 0 ? this.#misses + 1 : 0;
    return length;
  }

  /** `event` was parsed and passes, as `shown`, with `tokens` of content. */
  learn(event: string, shown: string, tokens: number, show: (part: string) => string): void {
    this.#shape =
      this.#misses > mostMisses ? undefined : (this.#shapeOf(event, shown, tokens, show) ?? this.#shape);
  }

  /** undefined: not one event, or more in it than its text. */
  #shapeOf(event: string, shown: string, tokens: number, show: (part: string) => string): Shape | undefined {
    const found = event.indexOf(this.#textBegins);
    if (found < 0) return undefined;
    const start = found + this.#textBegins.length;
    const end = event.indexOf('"', start);
    const isOne =
      event.indexOf(blankLine) === event.length - blankLine.length &&
      event.indexOf('\n', start) === event.length - blankLine.length;
    if (!isOne || end < 0 || event.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
    const parts = partsOf(event, start, end, this.#paddingBegins);
    const shape = new Shape(parts, cutOf(parts, show), shown);
    const bytes = Buffer.from(event);
    const length = shape.match(bytes);
    const isRight = length >= 0 && shape.tokens === tokens && bytes.toString('utf8', 0, length) === shown;
    return isRight ? shape : undefined;
  }
}

class Shape {
  tokens = 0;
  readonly sample: string;
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #end: Buffer;
  readonly #cut: Cut | undefined;

  constructor({ before, after, end }: Parts, cut: Cut | undefined, sample: string) {
    this.#before = Buffer.from(before);
    this.#after = Buffer.from(after);
    this.#end = Buffer.from(end);
    this.#cut = cut;
    this.sample = sample;
  }

  match(event: Uint8Array): number {
    const text = this.#before.length;
    const textEnd = isAt(this.#before, event, 0) ? nextQuote(event, text) : -1;
    const tail = textEnd < 0 ? -1 : this.#tail(event, textEnd);
    const tokens = tail < 0 ? -1 : tokensOfText(event, text, textEnd);
    if (tokens < 0) return -1;
    this.tokens = tokens;
    const cut = this.#cut;
    if (cut === undefined) return event.length;
    const at = cut.at + (cut.part === 'before' ? 0 : cut.part === 'after' ? textEnd : tail);
    event.copyWithin(at, at + cut.length);
    return event.length - cut.length;
  }

  /** Where the last part begins; -1: from `at`, where the text ends, on the event has another shape. */
  #tail(event: Uint8Array, at: number): number {
    if (!isAt(this.#after, event, at)) return -1;
    const start = at + this.#after.length;
    const last = this.#end;
    if (last.length === 0) return start === event.length ? start : -1;
    const stop = nextQuote(event, start);
    const isWhole = stop >= 0 && stop + last.length === event.length && isAt(last, event, stop);
    return isWhole && event[stop - 1] !== BACKSLASH ? stop : -1;
  }
}

function isAt(part: Buffer, event: Uint8Array, at: number): boolean {
  const { length } = part;
  if (at + length > event.length) return false;
  for (let index = 0; index < length; index += 1) if (event[at + index] !== part[index]) return false;
  return true;
}

/** -1: none in this line. */
function nextQuote(event: Uint8Array, start: number): number {
  for (let at = start; at < event.length; at += 1) {
    const byte = event[at];
    if (byte === QUOTE) return at;
    if (byte === LF) return -1;
  }
  return -1;
}

function partsOf(event: string, start: number, end: number, paddingBegins: string | undefined): Parts {
  const found = paddingBegins === undefined ? -1 : event.indexOf(paddingBegins, end);
  if (paddingBegins === undefined || found < 0)
    return { before: event.slice(0, start), after: event.slice(end), end: '' };
  const paddingStart = found + paddingBegins.length;
  return {
    before: event.slice(0, start),
    after: event.slice(end, paddingStart),
    end: event.slice(event.indexOf('"', paddingStart)),
  };
}

/** The first part of an event that is not shown. A second one makes the learnt event differ, and the shape is not used. */
function cutOf(parts: Parts, show: (part: string) => string): Cut | undefined {
  for (const part of ['before', 'after', 'end'] as const) {
    const whole = parts[part];
    const shown = show(whole);
    if (shown === whole) continue;
    let at = 0;
    while (at < shown.length && shown[at] === whole[at]) at += 1;
    const length = Buffer.byteLength(whole) - Buffer.byteLength(shown);
    return { part, at: Buffer.byteLength(whole.slice(0, at)), length };
  }
  return undefined;
}

const decoder = new TextDecoder();

/** -1: not the inside of a JSON string. */
function tokensOfText(event: Uint8Array, start: number, end: number): number {
  if (start === end) return 0;
  const text = decoder.decode(event.subarray(start, end));
  const plain = estimateAsciiTokens(text, 0, text.length);
  if (plain >= 0) return Math.max(1, plain);
  try {
    return Math.max(1, estimateTokens(text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text));
  } catch {
    return -1;
  }
}
