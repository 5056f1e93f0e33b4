/** A file of all samples with their texts, read in parts; each part is audited by the server. */
import type { ShadowTexts, ShadowView } from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';

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
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([text], { type: kind === 'csv' ? 'text/csv' : 'application/jsonl' }),
  );
  link.download = `${name.replaceAll(/[^\p{L}\p{N}-]+/gu, '-')}.${kind}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function csvOf(samples: readonly ShadowTexts[]): string {
  const rows = samples.map(({ answered, copied, ...sample }) => ({
    ...sample,
    ...named('answered', answered),
    ...named('copied', copied),
  }));
  const [first] = rows;
  if (first === undefined) return '';
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

const named = (side: string, values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${side}_${name}`, value]));

/** A text that a spreadsheet would take for a formula gets a quote in front. */
function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
