// Reads untrusted JSON tolerantly, as for answers: a wrong type counts as absent. Requests are read strictly (fields.ts).

export type Json = Record<string, unknown>;

/** An error of the caller, with the path of the invalid field. */
export class FormatError extends Error {
  override name = 'FormatError';
  readonly path: string;
  /** The expected type or value. */
  readonly expected: string;
  constructor(path: string, expected: string) {
    super(path === '' ? `the body must be ${expected}` : `${path} must be ${expected}`);
    this.path = path;
    this.expected = expected;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const member = (value: unknown): Json => (isObject(value) ? value : {});

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

export const objects = (value: unknown): Json[] => list(value).filter(isObject);

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** An entry of a table; ignores names inherited from Object. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** A number of 0 or more, a fraction rounded up: a part of a token was used too. Else undefined. */
export function count(value: unknown): number | undefined {
  const whole = typeof value === 'number' && value >= 0 ? Math.ceil(value) : undefined;
  return Number.isSafeInteger(whole) ? whole : undefined;
}

/** Without undefined members, so that absent members stay absent. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const value of Object.values(object)) {
    if (value === undefined)
      return Object.fromEntries(Object.entries(object).filter(([, kept]) => kept !== undefined)) as T;
  }
  return object;
}

/** One frame of a stream. */
export function parseFrame(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    throw new FormatError('', 'JSON');
  }
}

/** A tool call's arguments as an object; other JSON and text is wrapped rather than lost. */
export function parseArguments(given: string): Json {
  if (given.trim() === '') return {};
  try {
    const value = JSON.parse(given) as unknown;
    return isObject(value) ? value : { value };
  } catch {
    return { value: given };
  }
}
