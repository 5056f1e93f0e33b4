// A table of keys as CSV with a line of names.
import { readCsv } from '#contract/csv.ts';
import { SourceError } from '#server/operating/import-export/source/source.ts';

export function readKeyTable(text: string): Record<string, string>[] {
  const lines = readCsv(text, Number.POSITIVE_INFINITY);
  if (lines === undefined) throw new SourceError('the table of keys is not valid CSV.');
  const [names = [], ...rows] = lines;
  return rows
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) => Object.fromEntries(names.map((name, index) => [name.trim(), (row[index] ?? '').trim()])));
}
