// Reads unchecked JSON.

export { isObject, withoutUndefined, type Json } from '#server/models/formats/json.ts';

/** The value at a path of names and indexes. */
export function member(value: unknown, ...names: readonly (string | number)[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[name];
  }
  return found;
}

export function textIn(value: unknown, ...names: readonly (string | number)[]): string {
  const found = member(value, ...names);
  return typeof found === 'string' ? found : '';
}

export function listIn(value: unknown, ...names: readonly (string | number)[]): readonly unknown[] {
  const found = member(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** A whole number above zero, else 0. */
export function countIn(value: unknown, ...names: readonly (string | number)[]): number {
  const found = member(value, ...names);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0;
}

/** The member `name` of each entry of `list`; undefined when there is no such list. */
export function namesIn(answer: unknown, list: string, name: string): unknown[] | undefined {
  const entries = member(answer, list);
  return Array.isArray(entries) ? entries.map((entry: unknown) => member(entry, name)) : undefined;
}
