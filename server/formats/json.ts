// Reads untrusted JSON. Requests are read strictly: a wrong type is refused with the field's name. Answers are read
// tolerantly: a wrong type counts as absent.

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

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

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

/** A whole number of 0 or more; else undefined. */
export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export function objectAt(value: unknown, path: string): Json {
  if (!isObject(value)) throw new FormatError(path, 'an object');
  return value;
}

export function objectsAt(value: unknown, path: string): Json[] {
  return listAt(value, path).map((item, index) => objectAt(item, `${path}[${index}]`));
}

export function listAt(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new FormatError(path, 'an array');
  return value as unknown[];
}

export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new FormatError(path, 'a string');
  return value;
}

export function optionalObject(value: unknown, path: string): Json | undefined {
  return isAbsent(value) ? undefined : objectAt(value, path);
}

export function optionalList(value: unknown, path: string): unknown[] | undefined {
  return isAbsent(value) ? undefined : listAt(value, path);
}

export function optionalText(value: unknown, path: string): string | undefined {
  return isAbsent(value) ? undefined : textAt(value, path);
}

export function optionalTexts(value: unknown, path: string): string[] | undefined {
  return optionalList(value, path)?.map((item, index) => textAt(item, `${path}[${index}]`));
}

export function optionalNumber(value: unknown, path: string): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new FormatError(path, 'a number');
  return value;
}

export function optionalInteger(value: unknown, path: string): number | undefined {
  const found = optionalNumber(value, path);
  if (found !== undefined && !Number.isSafeInteger(found)) throw new FormatError(path, 'a whole number');
  return found;
}

export function optionalBoolean(value: unknown, path: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'boolean') throw new FormatError(path, 'true or false');
  return value;
}

/** Without undefined members, so that absent members stay absent. */
export function withoutUndefined<T extends object>(object: T): T {
  for (const value of Object.values(object)) {
    if (value === undefined)
      return Object.fromEntries(Object.entries(object).filter(([, kept]) => kept !== undefined)) as T;
  }
  return object;
}

/** Members not in `named`. */
export function otherMembers(object: Json, named: ReadonlySet<string>): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => !named.has(name) && value !== null),
  );
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
