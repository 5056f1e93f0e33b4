// The header lines of a message: found and checked in one pass over its head, compared with a name when somebody asks.
// No lower-case copy and no strings for headers nobody wants: most calls ask for a handful of a dozen.

/** What a byte may be part of: by the letter for what comes from anybody, loosely for what upstreams really send. */
const inName = 1;
const inValue = 2;
const inLooseName = 4;
const inLooseValue = 8;

const kinds = Uint8Array.from({ length: 256 }, (_, code) => {
  const isText = code === 0x09 || (code >= 0x20 && code !== 0x7f);
  const isLoose = code !== 0 && code !== 0x0a && code !== 0x0d;
  return (
    (/[\w!#$%&'*+.^`|~-]/.test(String.fromCharCode(code)) ? inName : 0) |
    (isText ? inValue : 0) |
    (isLoose && code !== 0x3a ? inLooseName : 0) |
    (isLoose ? inLooseValue : 0)
  );
});

const CR = 13;
const LF = 10;
const COLON = 58;
const SPACE = 32;
const TAB = 9;

export class HeaderTable {
  readonly #text: string;
  /** For each line: where it starts, where its colon stands, where it ends. */
  readonly #marks: number[] = [];
  /** A line that is no name and value, is folded, or ends in a way that programs read differently. */
  readonly isMalformed: boolean;

  /** `text` holds lines from `start` to `end`, each with its line end. */
  constructor(text: string, start: number, end: number, isLoose: boolean) {
    this.#text = text;
    this.isMalformed = !this.#read(start, end, isLoose);
  }

  #read(start: number, end: number, isLoose: boolean): boolean {
    const text = this.#text;
    const marks = this.#marks;
    const name = isLoose ? inLooseName : inName;
    const value = isLoose ? inLooseValue : inValue;
    let at = start;
    while (at < end) {
      const lineStart = at;
      if (isBlank(text.charCodeAt(at))) return false;
      while (at < end && ((kinds[text.charCodeAt(at)] as number) & name) !== 0) at += 1;
      const colon = at;
      const isNamed = at > lineStart && at < end && text.charCodeAt(at) === COLON;
      if (!isNamed && !isLoose) return false;
      while (at < end && ((kinds[text.charCodeAt(at)] as number) & value) !== 0) at += 1;
      if (at + 1 >= end || text.charCodeAt(at) !== CR || text.charCodeAt(at + 1) !== LF) return false;
      if (isNamed) marks.push(lineStart, colon, at);
      at += 2;
    }
    return true;
  }

  /** The first header of this (lower-case) name. */
  get(name: string): string | undefined {
    const marks = this.#marks;
    for (let line = 0; line < marks.length; line += 3)
      if (this.#isNamed(line, name)) return this.#value(line);
    return undefined;
  }

  count(name: string): number {
    let count = 0;
    for (let line = 0; line < this.#marks.length; line += 3) if (this.#isNamed(line, name)) count += 1;
    return count;
  }

  /** Two headers of this name that say different things. */
  isAmbiguous(name: string): boolean {
    const first = this.get(name);
    for (let line = 0; line < this.#marks.length; line += 3)
      if (this.#isNamed(line, name) && this.#value(line) !== first) return true;
    return false;
  }

  entries(): [string, string][] {
    const entries: [string, string][] = [];
    for (let line = 0; line < this.#marks.length; line += 3) {
      const name = this.#text.slice(this.#marks[line], this.#marks[line + 1]);
      entries.push([name.toLowerCase(), this.#value(line)]);
    }
    return entries;
  }

  #isNamed(line: number, name: string): boolean {
    const start = this.#marks[line] as number;
    const { length } = name;
    if ((this.#marks[line + 1] as number) - start !== length) return false;
    const text = this.#text;
    // This bit is all that differs between the cases of a letter, and it is set in every other character of a name we ask for.
    for (let at = 0; at < length; at += 1)
      if ((text.charCodeAt(start + at) | 0x20) !== name.charCodeAt(at)) return false;
    return true;
  }

  /** Where the value of the first header of this name stands in the text. */
  place(name: string): { start: number; end: number } | undefined {
    for (let line = 0; line < this.#marks.length; line += 3)
      if (this.#isNamed(line, name)) return { start: this.#start(line), end: this.#end(line) };
    return undefined;
  }

  #start(line: number): number {
    let start = (this.#marks[line + 1] as number) + 1;
    while (isBlank(this.#text.charCodeAt(start))) start += 1;
    return start;
  }

  #end(line: number): number {
    const colon = this.#marks[line + 1] as number;
    let end = this.#marks[line + 2] as number;
    while (end > colon + 1 && isBlank(this.#text.charCodeAt(end - 1))) end -= 1;
    return end;
  }

  /** A line ends in what is no blank, so the search for the start of an empty value stops there: behind its end. */
  #value(line: number): string {
    const start = this.#start(line);
    return this.#text.slice(start, Math.max(start, this.#end(line)));
  }
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;
