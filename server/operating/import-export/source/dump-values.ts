// The values of an INSERT statement and the names of a CREATE TABLE statement, in the words of the three dumps.

export type DumpDialect = 'mysql' | 'postgres' | 'sqlite';
export type DumpValue = string | number | bigint | null;

const MYSQL_ESCAPES: Record<string, string> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };
const COPY_ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Reads from one position of a statement on. */
export class StatementReader {
  readonly #text: string;
  readonly #hasBackslashes: boolean;
  #at = 0;

  constructor(text: string, dialect: DumpDialect) {
    this.#text = text;
    this.#hasBackslashes = dialect === 'mysql';
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  /** Takes this text, in any case; false when something else comes. */
  take(word: string): boolean {
    this.#skipSpace();
    const found = this.#text.slice(this.#at, this.#at + word.length);
    if (found.toLowerCase() !== word.toLowerCase()) return false;
    this.#at += word.length;
    return true;
  }

  get isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }

  /** A name with or without quotes; of `schema.table` the table. */
  name(): string {
    this.#skipSpace();
    const quote = this.#text[this.#at] ?? '';
    let name: string;
    if (quote === '"' || quote === '`') {
      const end = this.#text.indexOf(quote, this.#at + 1);
      name = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
    } else {
      name = /^[^\s(),.;]+/.exec(this.#text.slice(this.#at, this.#at + 200))?.[0] ?? '';
      this.#at += name.length;
    }
    return this.take('.') ? this.name() : name;
  }

  /** `(a, b, c)`. */
  names(): string[] {
    const names: string[] = [];
    if (!this.take('(')) return names;
    do names.push(this.name());
    while (this.take(','));
    this.take(')');
    return names;
  }

  tuple(): DumpValue[] {
    const values: DumpValue[] = [];
    if (!this.take('(')) throw new Error('a row of values was expected');
    do values.push(this.value());
    while (this.take(','));
    if (!this.take(')')) throw new Error('the end of a row was expected');
    return values;
  }

  value(): DumpValue {
    this.#skipSpace();
    const start = this.#text[this.#at] ?? '';
    if (start === "'") return this.#string(this.#hasBackslashes);
    const word = /^[\w.+-]+/.exec(this.#text.slice(this.#at, this.#at + 100))?.[0] ?? '';
    if (word === '') throw new Error(`a value was expected, not ${start}`);
    this.#at += word.length;
    return this.#wordValue(word);
  }

  #wordValue(word: string): DumpValue {
    const lower = word.toLowerCase();
    if (lower === 'null') return null;
    if (lower === 'true' || lower === 'false') return lower === 'true' ? 1 : 0;
    if (lower === '_binary' || lower === '_utf8mb4' || lower === 'n') return this.value();
    if (lower === 'e') return this.#string(true);
    if (lower === 'x') return Buffer.from(this.#string(false), 'hex').toString('utf8');
    if (/^0x[\da-f]*$/.test(lower)) return Buffer.from(lower.slice(2), 'hex').toString('utf8');
    if (lower === 'replace' || lower === 'char' || lower === 'unistr') return this.#call(lower);
    if (/^-?\d+$/.test(word)) return BigInt(word);
    const number = Number(word);
    if (Number.isNaN(number)) throw new Error(`${word} is not a value`);
    return number;
  }

  /** SQLite's shell writes line breaks by functions. */
  #call(name: string): string {
    const [first = '', second = '', third = ''] = this.tuple().map(String);
    if (name === 'char') return String.fromCodePoint(Number(first));
    if (name === 'replace') return first.replaceAll(second, third);
    return first.replaceAll(/\\(?:u([\da-f]{4})|\+([\da-f]{6})|U([\da-f]{8})|(\\))/gi, (_, a, b, c) =>
      a || b || c ? String.fromCodePoint(Number.parseInt(String(a ?? b ?? c), 16)) : '\\',
    );
  }

  #string(hasBackslashes: boolean): string {
    if (this.#text[this.#at] !== "'") throw new Error('a text was expected');
    let result = '';
    let from = this.#at + 1;
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '\\' && hasBackslashes) {
        const next = this.#text[at + 1] ?? '';
        result += this.#text.slice(from, at) + (MYSQL_ESCAPES[next] ?? next);
        at += 1;
        from = at + 1;
      } else if (character === "'") {
        result += this.#text.slice(from, at);
        if (this.#text[at + 1] !== "'") {
          this.#at = at + 1;
          return result;
        }
        at += 1;
        from = at;
      }
    }
    throw new Error('a text has no end');
  }
}

const CONSTRAINTS = /^(primary|key|unique|constraint|index|foreign|check|fulltext|spatial|exclude)$/i;

/** The columns of `CREATE TABLE`, in order; parts that are no columns are left out. */
export function columnsOf(definition: string, dialect: DumpDialect): string[] {
  const body = definition.slice(definition.indexOf('(') + 1);
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let at = 0; at < body.length && depth >= 0; at += 1) {
    const character = body[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (`'"\``.includes(character)) quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (quote === '' && (depth < 0 || (depth === 0 && character === ','))) {
      parts.push(body.slice(from, at));
      from = at + 1;
    }
  }
  return parts
    .filter((part) => !CONSTRAINTS.test(/^\s*(\w+)/.exec(part)?.[1] ?? ''))
    .map((part) => new StatementReader(part, dialect).name())
    .filter((name) => name !== '');
}

/** One line of PostgreSQL's COPY. */
export function copyValues(line: string): (string | null)[] {
  return line.split('\t').map((cell) => {
    if (cell === String.raw`\N`) return null;
    if (!cell.includes('\\')) return cell;
    return cell.replaceAll(/\\(.)/g, (_, escaped: string) => COPY_ESCAPES[escaped] ?? escaped);
  });
}
