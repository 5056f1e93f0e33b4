/** Places in a prompt that are filled in before it is sent: {{name}}. */

const PLACE = /\{\{\s*([\p{L}_][\p{L}\p{N}_-]{0,39})\s*\}\}/gu;

export type Variables = Readonly<Record<string, string>>;

/** The names in these texts, each once, in the order they are found. */
export function variableNames(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACE)].map((found) => found[1] ?? '')))];
}

/** A name without a value stays as it is written. */
export function filled(text: string, values: Variables): string {
  return text.replaceAll(PLACE, (place, name: string) =>
    Object.hasOwn(values, name) && values[name] !== '' ? (values[name] ?? place) : place,
  );
}

export function readVariables(value: unknown): Variables {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= 20_000)
      .slice(0, 50),
  );
}
