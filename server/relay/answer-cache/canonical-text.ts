// One text for all JSON texts that say the same: without insignificant white space, the members of each object in order. Numbers stay as they are
// written, because two of them may be one number here and two at an upstream; so do unknown members.

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const COMMA = 44;

/** The text was parsed before. Undefined: an object names a member twice, and an upstream may read the other one. */
export function canonicalText(text: string): string | undefined {
  return new Reader(text).value();
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): string | undefined {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    if (code === OPEN_OBJECT) return this.#object();
    if (code === OPEN_ARRAY) return this.#array();
    return code === QUOTE ? this.#string() : this.#scalar();
  }

  #object(): string | undefined {
    const members: (readonly [name: string, value: string])[] = [];
    for (this.#begin(); this.#text.charCodeAt(this.#at) !== CLOSE_OBJECT; this.#next()) {
      const name = this.#string();
      this.#skipSpace();
      this.#at += 1; // the colon
      const value = this.value();
      if (value === undefined) return undefined;
      members.push([name, value]);
    }
    this.#at += 1;
    members.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    if (members.some(([name], place) => name === members[place - 1]?.[0])) return undefined;
    return `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`;
  }

  #array(): string | undefined {
    const items: string[] = [];
    for (this.#begin(); this.#text.charCodeAt(this.#at) !== CLOSE_ARRAY; this.#next()) {
      const item = this.value();
      if (item === undefined) return undefined;
      items.push(item);
    }
    this.#at += 1;
    return `[${items.join(',')}]`;
  }

  #begin(): void {
    this.#at += 1;
    this.#skipSpace();
  }

  #next(): void {
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) === COMMA) this.#begin();
  }

  /** Escapes are undone where they need not be: `\u0041` and `A` are one text. */
  #string(): string {
    const start = this.#at;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw new Error('a text that is no JSON');
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    const raw = this.#text.slice(start, this.#at);
    return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw;
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    return backslashes % 2 === 1;
  }

  #scalar(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !isEnd(this.#text.charCodeAt(this.#at))) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
const isEnd = (code: number): boolean =>
  code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || isSpace(code);
