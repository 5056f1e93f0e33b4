// One object of a request, read strictly: a member of the wrong type is refused with its path. Null counts as absent.
import type { CanonicalPart, CanonicalRequest } from './canonical.ts';
import { FormatError, isObject, type Json } from './json.ts';

export class Fields {
  readonly source: Json;
  readonly path: string;
  /** The second spelling of a name, in formats that accept two. */
  readonly #spelling: ((name: string) => string) | undefined;
  readonly #read = new Set<string>();

  constructor(value: unknown, path = '', spelling?: (name: string) => string) {
    if (!isObject(value)) throw new FormatError(path, 'an object');
    this.source = value;
    this.path = path;
    this.#spelling = spelling;
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
    return new Fields(this.get(name), this.at(name), this.#spelling);
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
    return new Fields(item, `${this.at(name)}[${index}]`, this.#spelling);
  }

  #refuse(name: string, expected: string): never {
    throw new FormatError(this.at(name), expected);
  }
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
