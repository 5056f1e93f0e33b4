/** The changes of a save: whole values for short options, entries for maps, lines for long texts. */
import type { OptionField } from '#contract/options.ts';
import { parsed } from '#web/features/settings/draft.ts';

export interface ChangeLine {
  key: string;
  /** The entry of a map; undefined for the whole value. */
  entry?: string;
  before: string;
  after: string;
}

type Entries = Record<string, unknown>;

function entriesOf(text: string): Entries | undefined {
  const value = text.trim() === '' ? {} : parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Entries)
    : undefined;
}

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export function changeLines(field: OptionField, before: string, after: string): ChangeLine[] {
  const { key, kind } = field;
  if (kind === 'json') {
    const old = entriesOf(before);
    const next = entriesOf(after);
    if (old && next) {
      return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted().flatMap((entry) => {
        const line = { key, entry, before: shown(old[entry]), after: shown(next[entry]) };
        return line.before === line.after ? [] : [line];
      });
    }
  }
  if (kind === 'lines' || kind === 'multiline') {
    const { gone, added } = lineDifference(before, after);
    return [{ key, before: gone.join(' ⏎ '), after: added.join(' ⏎ ') }];
  }
  return [{ key, before, after }];
}

/** Lines that only one of the two has; the order is not compared. */
export function lineDifference(before: string, after: string): { gone: string[]; added: string[] } {
  const old = before.split('\n');
  const next = after.split('\n');
  return {
    gone: old.filter((line) => line !== '' && !next.includes(line)),
    added: next.filter((line) => line !== '' && !old.includes(line)),
  };
}

/** The draft with one entry of a map reset. */
export function withoutEntryChange(before: string, after: string, entry: string): string {
  const old = entriesOf(before) ?? {};
  const next = { ...entriesOf(after) };
  if (Object.hasOwn(old, entry)) next[entry] = old[entry];
  else delete next[entry];
  return JSON.stringify(next, null, 2);
}
