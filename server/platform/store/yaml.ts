// YAML in which no key stands twice: the parser would take the last value without a word.
import { YAML } from 'bun';

/** A character of the private use area: it marks a key with its line, and cannot be typed by accident. */
const MARK = '\uE000';
const BLOCK_KEY = /^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[\]{}&*!|>%@`?,:][^:#]*?)(?=\s*:(?:\s|$))/;
const FLOW_KEY = /([{,]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[\]{}&*!|>%@`?,:][^:#,{}[\]]*?)(?=\s*:\s)/g;

export class RepeatedKeyError extends Error {
  override name = 'RepeatedKeyError';
}

/** Throws the parser's error, or `RepeatedKeyError` with line and key. */
export function parseYaml(text: string): unknown {
  const value: unknown = YAML.parse(text);
  const marked = parseMarked(text);
  if (marked !== undefined) refuseRepeated(marked, '');
  return value;
}

/**
 * The same document with every key marked by its line, so that two equal keys become two members. Marks inside texts change
 * only values, which are not looked at. Undefined: the marks made it unreadable.
 */
function parseMarked(text: string): unknown {
  const lines = text.replaceAll(MARK, '').split('\n');
  const marked = lines.map((line, index) => {
    const withMark = (key: string): string =>
      /^["']/.test(key)
        ? `${key.slice(0, -1)}${MARK}${index + 1}${key.slice(-1)}`
        : `${key}${MARK}${index + 1}`;
    let count = 0;
    const inFlow = line.replace(FLOW_KEY, (_, before: string, key: string) => {
      count += 1;
      // Two of one line differ by their place in it.
      return `${before}${withMark(key).replace(MARK, `${MARK}${count}${MARK}`)}`;
    });
    return inFlow.replace(BLOCK_KEY, (_, before: string, key: string) => before + withMark(key));
  });
  try {
    return YAML.parse(marked.join('\n'));
  } catch {
    return undefined;
  }
}

function refuseRepeated(value: unknown, place: string): void {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) refuseRepeated(member, `${place}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const seen = new Map<string, string>();
  for (const [marked, member] of Object.entries(value)) {
    const [key = '', ...marks] = marked.split(MARK);
    const line = marks.at(-1) ?? '?';
    const first = seen.get(key);
    if (first !== undefined) {
      const owner = place === '' ? '' : ` of ${place}`;
      throw new RepeatedKeyError(
        `line ${line}: the key ${key.slice(0, 100)}${owner} stands a second time (first on line ${first})`,
      );
    }
    if (marks.length > 0) seen.set(key, line);
    refuseRepeated(member, place === '' ? key : `${place}.${key}`);
  }
}
