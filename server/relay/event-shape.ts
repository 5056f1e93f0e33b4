// Nearly every event of a stream is the one before it with other words: the same text before the words, the same behind. Such
// an event need not be searched for usage, errors and ends again, and its words are known without reading it.
import { decodeText, type ByteText } from '#server/egress/index.ts';
import { estimateAsciiTokens, estimateTokens } from './estimate.ts';

interface Shape {
  /** With the quote that opens the words. */
  before: string;
  /** From the quote that closes them to the blank line. */
  after: string;
  /** The same as the caller sees them; undefined when that is no different. */
  shown: { before: string; after: string } | undefined;
}

const CLOSE_OBJECT = 125;
const blankLine = '\n\n';
/** Some upstreams put something random into every event: after so many shapes that were of no use no more are learnt. */
const mostMisses = 8;

export class EventShapes {
  /** Of the event that matched last. */
  tokens = 0;
  /** What stands before the words of a usual event of the dialect. */
  readonly #wordsBegin: string;
  #shape: Shape | undefined;
  #misses = 0;

  constructor(wordsBegin: string) {
    this.#wordsBegin = wordsBegin;
  }

  /** The event as the caller sees it, if it is like the one that was learnt; `tokens` is then what its words count. */
  match(event: ByteText): ByteText | undefined {
    const shape = this.#shape;
    if (shape === undefined) return undefined;
    const { before, after, shown } = shape;
    const start = before.length;
    const end = event.length - after.length;
    const isAlike =
      end >= start &&
      event.startsWith(before) &&
      event.endsWith(after) &&
      event.indexOf('"', start) === end &&
      event.indexOf('\n', start) === event.length - blankLine.length;
    const tokens = isAlike ? tokensOfWords(event, start, end) : -1;
    if (tokens < 0) {
      this.#misses += 1;
      return undefined;
    }
    this.#misses = 0;
    this.tokens = tokens;
    if (shown === undefined) return event;
    return (shown.before + event.slice(start, end) + shown.after) as ByteText;
  }

  /** `event` was looked at and passes, as `shown`, with `tokens` of content. */
  learn(event: ByteText, shown: ByteText, tokens: number, show: (part: ByteText) => ByteText): void {
    this.#shape =
      this.#misses > mostMisses
        ? undefined
        : (shapeOf(event, this.#wordsBegin, shown, tokens, show) ?? this.#shape);
  }
}

/** undefined: not one event, or more in it than its words. */
function shapeOf(
  event: ByteText,
  wordsBegin: string,
  shown: ByteText,
  tokens: number,
  show: (part: ByteText) => ByteText,
): Shape | undefined {
  const found = event.indexOf(wordsBegin);
  if (found < 0) return undefined;
  const start = found + wordsBegin.length;
  const end = event.indexOf('"', start);
  const isOne =
    event.indexOf(blankLine) === event.length - blankLine.length &&
    event.indexOf('\n', start) === event.length - blankLine.length;
  if (!isOne || end < 0 || event.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
  if (tokensOfWords(event, start, end) !== tokens) return undefined;
  const before = event.slice(0, start) as ByteText;
  const after = event.slice(end) as ByteText;
  if (shown === event) return { before, after, shown: undefined };
  const parts = { before: show(before), after: show(after) };
  const isSame = parts.before + event.slice(start, end) + parts.after === shown;
  return isSame ? { before, after, shown: parts } : undefined;
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
