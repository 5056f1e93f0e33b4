/**
 * The search parameters of a page by name: each parses its value or ignores it, so a mistyped URL is never an
 * error page. No schema library: this is part of every first load, and one would add 25 KB.
 */

/** The value, or undefined when it is missing or invalid. */
export type Reader<Value> = (raw: unknown) => Value | undefined;

export type Readers = Record<string, Reader<unknown>>;

export type SearchOf<Search extends { parse: (raw: Record<string, unknown>) => unknown }> = ReturnType<
  Search['parse']
>;

export function searchParams<Shape extends Readers>(shape: Shape) {
  type Search = { [Name in keyof Shape]?: Exclude<ReturnType<Shape[Name]>, undefined> };
  return {
    parse(raw: Record<string, unknown>): Search {
      const known = Object.entries(shape).map(([name, read]) => [name, read(raw[name])]);
      return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as Search;
    },
  };
}

/** The router parses `?q=123` as a number; this makes it text again. */
export const text =
  (maxLength = 200): Reader<string> =>
  (raw) => {
    if (typeof raw !== 'string' && typeof raw !== 'number') return undefined;
    const value = String(raw);
    return value !== '' && value.length <= maxLength ? value : undefined;
  };

export const pattern =
  (shape: RegExp): Reader<string> =>
  (raw) =>
    typeof raw === 'string' && shape.test(raw) ? raw : undefined;

export const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (raw) => {
    const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : undefined;
  };

export const oneOf =
  <const Value extends string | number>(...values: readonly Value[]): Reader<Value> =>
  (raw) =>
    values.find((value) => value === raw || String(value) === raw);

export const flag: Reader<true> = (raw) => (raw === true || raw === 'true' ? true : undefined);
