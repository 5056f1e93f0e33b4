/** A file of all samples with their texts, read in parts; each part is audited by the server. */
import { csvLine } from '#contract/csv.ts';
import type { ShadowTexts, ShadowView } from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';
import { downloadFile } from '#web/ui/grid/csv.ts';

export async function exportSamples({ id, name }: ShadowView, kind: 'csv' | 'jsonl'): Promise<void> {
  const samples: ShadowTexts[] = [];
  let before: number | undefined;
  do {
    const part = await api.shadowCalls.texts({
      params: { id },
      body: before === undefined ? {} : { before },
    });
    samples.push(...part.samples);
    before = part.has_more ? part.samples.at(-1)?.id : undefined;
  } while (before !== undefined);
  const text =
    kind === 'jsonl' ? samples.map((sample) => `${JSON.stringify(sample)}\n`).join('') : csvOf(samples);
  const file = `${name.replaceAll(/[^\p{L}\p{N}-]+/gu, '-')}.${kind}`;
  downloadFile(file, text, kind === 'csv' ? 'text/csv' : 'text/plain');
}

export function csvOf(samples: readonly ShadowTexts[]): string {
  const rows = samples.map(({ answered, copied, ...sample }) => ({
    ...sample,
    ...named('answered', answered),
    ...named('copied', copied),
  }));
  const [first] = rows;
  if (first === undefined) return '';
  return [Object.keys(first), ...rows.map((row) => Object.values(row).map(cell))].map(csvLine).join('');
}

const named = (side: string, values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${side}_${name}`, value]));

const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
