// Reads the query of a report. Lists come as `name[]=a&name[]=b` (the official SDKs), as `name=a&name=b` or as `name=a,b`.

/** A parameter that cannot be read; the caller gets 400 with its name. */
export class ParameterError extends Error {
  override name = 'ParameterError';
  readonly parameter: string;

  constructor(parameter: string) {
    super(`the parameter ${parameter} is not valid`);
    this.parameter = parameter;
  }
}

const MOST_VALUES = 200;
const LONGEST_VALUE = 300;

export class Parameters {
  readonly #values: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.#values = query;
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === null || value === '' ? undefined : value;
  }

  /** Every value once; undefined when none is given. */
  list(name: string): string[] | undefined {
    const indexed = new RegExp(`^${name}(?:\\[\\d*\\])+$`);
    const values = new Set<string>();
    for (const [key, text] of this.#values) {
      if (key !== name && !indexed.test(key)) continue;
      for (const value of text.split(',')) if (value !== '') values.add(value);
    }
    if (values.size > MOST_VALUES || [...values].some((value) => value.length > LONGEST_VALUE))
      throw new ParameterError(name);
    return values.size === 0 ? undefined : [...values];
  }

  /** Values of a closed set; `allowed` gives each its meaning here. */
  choices<Value>(name: string, allowed: Readonly<Record<string, Value>>): Value[] | undefined {
    return this.list(name)?.map((value) => {
      if (!Object.hasOwn(allowed, value)) throw new ParameterError(name);
      return allowed[value] as Value;
    });
  }

  choice<Value>(name: string, allowed: Readonly<Record<string, Value>>, usual: Value): Value {
    const value = this.text(name);
    if (value === undefined) return usual;
    if (!Object.hasOwn(allowed, value)) throw new ParameterError(name);
    return allowed[value] as Value;
  }

  whole(name: string, most: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^\d{1,15}$/.test(value) || Number(value) > most) throw new ParameterError(name);
    return Number(value);
  }

  /** An RFC 3339 time as unix seconds, rounded down. */
  time(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const [, day, clock = 'T00:00:00', zone = 'Z'] =
      /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/i.exec(value) ?? [];
    const milliseconds = Date.parse(`${day}${clock.toUpperCase().replace(' ', 'T')}${zone.toUpperCase()}`);
    if (!Number.isFinite(milliseconds) || milliseconds < 0) throw new ParameterError(name);
    return Math.floor(milliseconds / 1000);
  }

  /** Numbers of `proj_12` and `12`; an id of another shape exists nowhere and becomes -1. */
  ids(name: string): number[] | undefined {
    return this.list(name)?.map((value) => {
      const digits = /^(?:[a-z]+[-_])?(\d{1,15})$/.exec(value)?.[1];
      return digits === undefined ? -1 : Number(digits);
    });
  }

  /** Everything that decides which rows a report has, for its cursor. */
  identity(without: readonly string[]): string {
    const rest = [...this.#values].filter(([name]) => !without.includes(name));
    return JSON.stringify(rest.toSorted(([left], [right]) => left.localeCompare(right)));
  }
}
