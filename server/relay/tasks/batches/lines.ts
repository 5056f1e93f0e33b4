// Lines of a JSONL text: of a file in memory, in short turns of the event loop, and of an answer that is still arriving.
import { nextTurn } from '#server/relay/request/read-body.ts';

const TURN_MILLISECONDS = 8;
const NEWLINE = 10;

/** Gives the event loop to other calls when a long loop has had its turn. */
export function turns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < TURN_MILLISECONDS) return;
    await nextTurn();
    begun = performance.now();
  };
}

/** Space, tab, CR and LF. */
const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13 || byte === NEWLINE;
/** Blank bytes between two looks at the clock. */
const BLANK_RUN = 65_536;

/** Calls `use` for each line that is not blank; `number` begins with 1. Blank lines are not decoded: there may be millions. */
export async function eachLine(
  bytes: Uint8Array,
  use: (text: string, number: number) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const turn = turns();
  let number = 1;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] as number;
    if (isBlank(byte)) {
      if (byte === NEWLINE) number += 1;
      at += 1;
      if (at % BLANK_RUN === 0) await turn();
      continue;
    }
    const found = bytes.indexOf(NEWLINE, at);
    const end = found < 0 ? bytes.length : found;
    use(decoder.decode(bytes.subarray(at, end)).trim(), number);
    at = end;
    await turn();
  }
}

/** Only embeddings of very many texts in one request are longer. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** Divides pieces of an answer into lines. A line that is too long to be read passes in pieces. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #length = 0;
  #isLong = false;

  /** `line`: a whole line without its end. `long`: a piece of a line that is too long, and whether it is the last one. */
  *push(piece: Uint8Array | undefined): Generator<{ line: string } | { long: string; isEnd: boolean }> {
    let text = piece === undefined ? this.#decoder.decode() : this.#decoder.decode(piece, { stream: true });
    for (;;) {
      const end = text.indexOf('\n');
      if (end < 0) break;
      yield this.#finish(text.slice(0, end));
      text = text.slice(end + 1);
    }
    if (this.#isLong) {
      if (text !== '') yield { long: text, isEnd: false };
    } else {
      this.#parts.push(text);
      this.#length += text.length;
      if (this.#length > LONGEST_LINE) {
        this.#isLong = true;
        yield { long: this.#take(), isEnd: false };
      }
    }
    if (piece === undefined && (this.#isLong || this.#length > 0)) yield this.#finish('');
  }

  #finish(rest: string): { line: string } | { long: string; isEnd: boolean } {
    if (this.#isLong) {
      this.#isLong = false;
      return { long: rest, isEnd: true };
    }
    this.#parts.push(rest);
    return { line: this.#take() };
  }

  #take(): string {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    return text;
  }
}
