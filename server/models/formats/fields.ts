// One object of a request, read strictly: a member of the wrong type is refused with its path. Null counts as absent. What
// nobody reads is known afterwards, however deep it is: a member of an object that a codec does not know cannot be lost in
// silence.
import type { CanonicalPart, CanonicalRequest } from './canonical.ts';
import { FormatError, isObject, withoutUndefined, type Json } from './json.ts';

export class Fields {
  readonly source: Json;
  readonly path: string;
  /** The second spelling of a name, in formats that accept two. */
  readonly #spelling: ((name: string) => string) | undefined;
  readonly #read = new Set<string>();
  /** The objects that were read below the outermost one, in one list for all of them. */
  readonly #nested: Fields[];
  #isWhole = false;

  constructor(value: unknown, path = '', spelling?: (name: string) => string, outer?: Fields) {
    if (!isObject(value)) throw new FormatError(path, 'an object');
    this.source = value;
    this.path = path;
    this.#spelling = spelling;
    this.#nested = outer === undefined ? [] : outer.#nested;
    if (outer !== undefined) this.#nested.push(this);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** The member, of any type. */
  get(name: string): unknown {
    this.#read.add(name);
    const value = this.source[name] ?? undefined;
    if (this.#spelling === undefined) return value;
    const other = this.#spelling(name);
    this.#read.add(other);
    return value ?? this.source[other] ?? undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** The members that have not been read. Members read from `source` directly are among them. */
  others(): Json {
    return Object.fromEntries(
      Object.entries(this.source).filter(([name, value]) => !this.#read.has(name) && value !== null),
    );
  }

  /** The object as it is, with every member: it is passed on whole, or has no members of a fixed name. */
  whole(): Json {
    this.#isWhole = true;
    return this.source;
  }

  /** These members ask for nothing: they repeat what an answer said, or say what the object itself says. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.get(name);
  }

  /** Paths of members inside the objects below this one that nobody has read, without positions in lists. */
  unread(): string[] {
    // An object may have been read in several steps.
    const read = new Map<Json, Set<string> | 'whole'>();
    for (const holder of this.#nested) {
      const known = read.get(holder.source);
      if (holder.#isWhole) read.set(holder.source, 'whole');
      else if (known === undefined) read.set(holder.source, holder.#read);
      else if (known !== 'whole') read.set(holder.source, known.union(holder.#read));
    }
    const paths = new Set<string>();
    for (const { source, path } of this.#nested) {
      const known = read.get(source);
      if (known === undefined || known === 'whole') continue;
      for (const [name, value] of Object.entries(source)) {
        if (!known.has(name) && !isEmpty(value)) paths.add(`${path}.${name}`.replaceAll(/\[\d+\]/g, '[]'));
      }
    }
    return [...paths];
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.#refuse(name, 'a string');
  }

  optionalText(name: string): string | undefined {
    const value = this.get(name);
    return value === undefined || typeof value === 'string' ? value : this.#refuse(name, 'a string');
  }

  optionalTexts(name: string): string[] | undefined {
    return this.#list(name)?.map((item, index) =>
      typeof item === 'string' ? item : this.#refuse(`${name}[${index}]`, 'a string'),
    );
  }

  optionalNumber(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    return this.#refuse(name, 'a number');
  }

  optionalInteger(name: string): number | undefined {
    const value = this.optionalNumber(name);
    return value === undefined || Number.isSafeInteger(value) ? value : this.#refuse(name, 'a whole number');
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.get(name);
    return value === undefined || typeof value === 'boolean' ? value : this.#refuse(name, 'true or false');
  }

  object(name: string): Fields {
    return new Fields(this.get(name), this.at(name), this.#spelling, this);
  }

  optionalObject(name: string): Fields | undefined {
    return this.has(name) ? this.object(name) : undefined;
  }

  objects(name: string): Fields[] {
    return this.optionalObjects(name) ?? this.#refuse(name, 'an array');
  }

  optionalObjects(name: string): Fields[] | undefined {
    return this.#list(name)?.map((item, index) => this.#item(name, item, index));
  }

  /** A text, or a list of parts. In some formats a part may be a plain text. */
  content(
    name: string,
    decodePart: (part: Fields) => CanonicalPart[],
    { withTexts = false } = {},
  ): CanonicalPart[] {
    const value = this.get(name);
    if (value === undefined || value === '') return [];
    if (typeof value === 'string') return [{ type: 'text', text: value }];
    if (!Array.isArray(value)) return this.#refuse(name, 'a string or an array');
    return (value as unknown[]).flatMap((item, index): CanonicalPart[] =>
      withTexts && typeof item === 'string'
        ? [{ type: 'text', text: item }]
        : decodePart(this.#item(name, item, index)),
    );
  }

  #list(name: string): unknown[] | undefined {
    const value = this.get(name);
    return value === undefined || Array.isArray(value)
      ? (value as unknown[] | undefined)
      : this.#refuse(name, 'an array');
  }

  #item(name: string, item: unknown, index: number): Fields {
    return new Fields(item, `${this.at(name)}[${index}]`, this.#spelling, this);
  }

  #refuse(name: string, expected: string): never {
    throw new FormatError(this.at(name), expected);
  }
}

/** Nothing is asked for by it: null, an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The request, with what its codec does not know of the objects in it; all of them must have been read before. */
export function withUnread(fields: Fields, request: CanonicalRequest): CanonicalRequest {
  const unread = fields.unread();
  return withoutUndefined<CanonicalRequest>(unread.length === 0 ? request : { ...request, unread });
}

/** Fields with the same names in OpenAI's and Anthropic's requests. */
export function sharedFields(fields: Fields) {
  return {
    model: fields.optionalText('model') ?? '',
    stream: fields.optionalBoolean('stream') ?? false,
    temperature: fields.optionalNumber('temperature'),
    topP: fields.optionalNumber('top_p'),
    serviceTier: fields.optionalText('service_tier'),
    source: fields.source,
  } satisfies { [Name in keyof CanonicalRequest]?: CanonicalRequest[Name] | undefined };
}
