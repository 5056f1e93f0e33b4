// Nearly every event of a stream is the one before it with other words: the same bytes before the words, the same behind. Such
// an event need not be searched for usage, errors and ends again, nor become a text: its words are counted where they lie, and
// what the caller is not to see is cut out of the very bytes that came. Some suppliers pad each event with a member of random
// letters; those may differ as well.
import { byteText, bytesOf, decodeText, type ByteText } from '#server/egress/index.ts';
import { estimateAsciiTokens, estimateTokens } from '#server/relay/request/estimate.ts';

interface Parts {
  /** With the quote that opens the words. */
  before: ByteText;
  /** From the quote that closes them to the one that opens the padding; without padding to the blank line. */
  after: ByteText;
  /** From the quote that closes the padding to the blank line; empty: there is no padding. */
  end: ByteText;
}

/** What the caller does not see: so many bytes, from a place in one of the parts on. */
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
/** Some upstreams put something random into every event: after so many shapes that were of no use no more are learnt. */
const mostMisses = 8;

export class EventShapes {
  /** What stands before the words of a usual event of the dialect. */
  readonly #wordsBegin: string;
  /** The same for the padding, where the dialect knows one. */
  readonly #paddingBegins: string | undefined;
  #shape: Shape | undefined;
  #misses = 0;

  constructor(wordsBegin: string, paddingBegins?: string) {
    this.#wordsBegin = wordsBegin;
    this.#paddingBegins = paddingBegins;
  }

  /** Of the event that matched last. */
  get tokens(): number {
    return this.#shape?.tokens ?? 0;
  }

  /** As the caller sees it. What matches differs from it in words and padding only. */
  get sample(): ByteText | undefined {
    return this.#shape?.sample;
  }

  /**
   * Whether the event in `bytes` is like the one that was learnt: then `tokens` is what its words count, what the caller does
   * not see is cut out, and the answer is where it ends now. -1: it is not, and nothing was touched.
   */
  match(bytes: Buffer, start: number, end: number): number {
    const shape = this.#shape;
    if (shape === undefined) return -1;
    const endNow = shape.match(bytes, start, end);
    this.#misses = endNow < 0 ? this.#misses + 1 : 0;
    return endNow;
  }

  /** `event` was looked at and passes, as `shown`, with `tokens` of content. */
  learn(event: ByteText, shown: ByteText, tokens: number, show: (part: ByteText) => ByteText): void {
    this.#shape =
      this.#misses > mostMisses ? undefined : (this.#shapeOf(event, shown, tokens, show) ?? this.#shape);
  }

  /** undefined: not one event, or more in it than its words. */
  #shapeOf(
    event: ByteText,
    shown: ByteText,
    tokens: number,
    show: (part: ByteText) => ByteText,
  ): Shape | undefined {
    const found = event.indexOf(this.#wordsBegin);
    if (found < 0) return undefined;
    const start = found + this.#wordsBegin.length;
    const end = event.indexOf('"', start);
    const isOne =
      event.indexOf(blankLine) === event.length - blankLine.length &&
      event.indexOf('\n', start) === event.length - blankLine.length;
    if (!isOne || end < 0 || event.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
    const parts = partsOf(event, start, end, this.#paddingBegins);
    const shape = new Shape(parts, cutOf(parts, show), shown);
    const bytes = bytesOf(event);
    const endNow = shape.match(bytes, 0, bytes.length);
    const isRight = endNow >= 0 && shape.tokens === tokens && byteText(bytes, 0, endNow) === shown;
    return isRight ? shape : undefined;
  }
}

class Shape {
  tokens = 0;
  readonly sample: ByteText;
  readonly #before: Buffer;
  readonly #after: Buffer;
  readonly #end: Buffer;
  readonly #cut: Cut | undefined;

  constructor({ before, after, end }: Parts, cut: Cut | undefined, sample: ByteText) {
    this.#before = bytesOf(before);
    this.#after = bytesOf(after);
    this.#end = bytesOf(end);
    this.#cut = cut;
    this.sample = sample;
  }

  match(bytes: Buffer, start: number, end: number): number {
    const words = start + this.#before.length;
    const wordsEnd = isAt(this.#before, bytes, start, end) ? nextQuote(bytes, words, end) : -1;
    const tail = wordsEnd < 0 ? -1 : this.#tail(bytes, wordsEnd, end);
    const tokens = tail < 0 ? -1 : tokensOfWords(byteText(bytes, words, wordsEnd));
    if (tokens < 0) return -1;
    this.tokens = tokens;
    const cut = this.#cut;
    if (cut === undefined) return end;
    const at = cut.at + (cut.part === 'before' ? start : cut.part === 'after' ? wordsEnd : tail);
    bytes.copyWithin(at, at + cut.length, end);
    return end - cut.length;
  }

  /** Where the last part begins; -1: from `at`, where the words end, on the event is another. */
  #tail(bytes: Buffer, at: number, end: number): number {
    if (!isAt(this.#after, bytes, at, end)) return -1;
    const start = at + this.#after.length;
    const last = this.#end;
    if (last.length === 0) return start === end ? end : -1;
    const stop = nextQuote(bytes, start, end);
    const isWhole = stop >= 0 && stop + last.length === end && isAt(last, bytes, stop, end);
    return isWhole && bytes[stop - 1] !== BACKSLASH ? stop : -1;
  }
}

function isAt(part: Buffer, bytes: Buffer, at: number, end: number): boolean {
  const { length } = part;
  if (at + length > end) return false;
  for (let index = 0; index < length; index += 1) if (bytes[at + index] !== part[index]) return false;
  return true;
}

/** -1: none in this line. */
function nextQuote(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === LF) return -1;
  }
  return -1;
}

function partsOf(event: ByteText, start: number, end: number, paddingBegins: string | undefined): Parts {
  const cut = (from: number, to?: number) => event.slice(from, to) as ByteText;
  const found = paddingBegins === undefined ? -1 : event.indexOf(paddingBegins, end);
  if (paddingBegins === undefined || found < 0)
    return { before: cut(0, start), after: cut(end), end: cut(event.length) };
  const paddingStart = found + paddingBegins.length;
  return {
    before: cut(0, start),
    after: cut(end, paddingStart),
    end: cut(event.indexOf('"', paddingStart)),
  };
}

/** The first thing that is not shown; whether there is another, the event tells that was learnt from. */
function cutOf(parts: Parts, show: (part: ByteText) => ByteText): Cut | undefined {
  for (const part of ['before', 'after', 'end'] as const) {
    const whole = parts[part];
    const shown = show(whole);
    if (shown === whole) continue;
    let at = 0;
    while (at < shown.length && shown[at] === whole[at]) at += 1;
    return { part, at, length: whole.length - shown.length };
  }
  return undefined;
}

/** -1: not the inside of a JSON string. */
function tokensOfWords(words: ByteText): number {
  if (words === '') return 0;
  const plain = estimateAsciiTokens(words, 0, words.length);
  if (plain >= 0) return Math.max(1, plain);
  const text = decodeText(words);
  try {
    return Math.max(1, estimateTokens(text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text));
  } catch {
    return -1;
  }
}
