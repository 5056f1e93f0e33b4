// Nearly every event of a stream is the one before it with other words: the same text before the words, the same behind. Such
// an event need not be searched for usage, errors and ends again, and its words are known without reading it. Some suppliers
// pad each event with a member of random letters; those may differ as well.
import { decodeText, type ByteText } from '#server/egress/index.ts';
import { estimateAsciiTokens, estimateTokens } from './estimate.ts';

interface Parts {
  /** With the quote that opens the words. */
  before: string;
  /** From the quote that closes them to the one that opens the padding; without padding to the blank line. */
  after: string;
  /** From the quote that closes the padding to the blank line; undefined: there is none. */
  end: string | undefined;
}

interface Shape extends Parts {
  /** The same as the caller sees them; undefined when that is no different. */
  shown: Parts | undefined;
}

const BACKSLASH = 92;
const CLOSE_OBJECT = 125;
const blankLine = '\n\n';
/** Some upstreams put something random into every event: after so many shapes that were of no use no more are learnt. */
const mostMisses = 8;

export class EventShapes {
  /** Of the event that matched last. */
  tokens = 0;
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

  /** The event as the caller sees it, if it is like the one that was learnt; `tokens` is then what its words count. */
  match(event: ByteText): ByteText | undefined {
    const shape = this.#shape;
    if (shape === undefined) return undefined;
    const { before, shown } = shape;
    const start = before.length;
    const end = event.startsWith(before) ? event.indexOf('"', start) : -1;
    const padding = end < 0 ? -1 : paddingOf(event, shape, end);
    const isAlike = padding >= 0 && event.indexOf('\n', start) === event.length - blankLine.length;
    const tokens = isAlike ? tokensOfWords(event, start, end) : -1;
    if (tokens < 0) {
      this.#misses += 1;
      return undefined;
    }
    this.#misses = 0;
    this.tokens = tokens;
    if (shown === undefined) return event;
    const told = shown.before + event.slice(start, end) + shown.after;
    if (shown.end === undefined) return told as ByteText;
    const paddingStart = end + shape.after.length;
    return (told + event.slice(paddingStart, paddingStart + padding) + shown.end) as ByteText;
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
    if (tokensOfWords(event, start, end) !== tokens) return undefined;
    const parts = partsOf(event, start, end, this.#paddingBegins);
    if (shown === event) return { ...parts, shown: undefined };
    const told = {
      before: show(parts.before as ByteText),
      after: show(parts.after as ByteText),
      end: parts.end === undefined ? undefined : show(parts.end as ByteText),
    };
    const shape = { ...parts, shown: told };
    const padding = paddingOf(event, parts, end);
    const paddingStart = end + parts.after.length;
    const again =
      told.before +
      event.slice(start, end) +
      told.after +
      event.slice(paddingStart, paddingStart + padding) +
      (told.end ?? '');
    return padding >= 0 && again === shown ? shape : undefined;
  }
}

function partsOf(event: string, start: number, end: number, paddingBegins: string | undefined): Parts {
  const before = event.slice(0, start);
  const found = paddingBegins === undefined ? -1 : event.indexOf(paddingBegins, end);
  if (paddingBegins === undefined || found < 0) return { before, after: event.slice(end), end: undefined };
  const paddingStart = found + paddingBegins.length;
  const paddingEnd = event.indexOf('"', paddingStart);
  return { before, after: event.slice(end, paddingStart), end: event.slice(paddingEnd) };
}

/** How long the padding is; -1: from `at`, where the words end, on the event is another. */
function paddingOf(event: string, { after, end }: Parts, at: number): number {
  if (!event.startsWith(after, at)) return -1;
  const start = at + after.length;
  if (end === undefined) return start === event.length ? 0 : -1;
  const stop = event.indexOf('"', start);
  const isWhole = stop >= 0 && stop + end.length === event.length && event.endsWith(end);
  return isWhole && event.charCodeAt(stop - 1) !== BACKSLASH ? stop - start : -1;
}

/** -1: not the inside of a JSON string. */
function tokensOfWords(event: ByteText, start: number, end: number): number {
  if (start === end) return 0;
  const plain = estimateAsciiTokens(event, start, end);
  if (plain >= 0) return Math.max(1, plain);
  const text = decodeText(event.slice(start, end) as ByteText);
  try {
    const words = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
    return Math.max(1, estimateTokens(words));
  } catch {
    return -1;
  }
}
