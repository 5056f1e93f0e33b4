// How a header is found in a head that is kept as one lower-case text.

/** Few names are ever asked for, each thousands of times a second. */
const lineStarts = new Map<string, string>();

export function lineStart(name: string): string {
  let start = lineStarts.get(name);
  if (start === undefined) {
    start = `\r\n${name}:`;
    if (lineStarts.size < 100) lineStarts.set(name, start);
  }
  return start;
}
