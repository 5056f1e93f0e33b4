// Writes docs/fault-results.md and reads the rows of an earlier one.
import { plannedFaults, sections } from './rows.ts';
import type { RowResult } from './judge.ts';

const PASSED = 'passed';
const NOT_PASSED = '**not passed**';

/** A cell of a Markdown table has no line breaks and no `|`. */
const cell = (text: string) => text.replaceAll('|', '/').replaceAll(/\s+/g, ' ').trim();

export function makeTable(results: ReadonlyMap<string, RowResult>): string {
  const passed = plannedFaults.filter(({ id }) => results.get(id)?.passed === true).length;
  const tables = sections.map(({ title, faults }) => {
    const rows = faults.map(({ id, fault, holds }) => {
      const result = results.get(id);
      const cells = [
        id,
        fault,
        holds,
        result?.passed === true ? PASSED : NOT_PASSED,
        result?.figure ?? 'not run',
        result?.date ?? '',
        result?.machine ?? '',
        (result?.tests ?? []).map((file) => `\`${file}\``).join(', '),
      ];
      return `| ${cells.map(cell).join(' | ')} |`;
    });
    return [
      `## ${title}`,
      '',
      '| # | fault | what must hold | result | what was seen | date | machine | tests |',
      '| - | - | - | - | - | - | - | - |',
      ...rows,
    ].join('\n');
  });
  return `# Faults and their results

Made by \`npm run test:chaos -- --report\`; \`--rows M,C4\` runs some rows and keeps the others. A row passes when its tests passed and
recorded that the fault happened; without that record it does not pass ([ADR 76](adr/0076-a-row-passes-when-its-fault-was-seen.md)).
Figures are of a shortened run where they say so.

**${passed} of ${plannedFaults.length} rows pass.**

${tables.join('\n\n')}
`;
}

/** The results of an earlier table, by row. */
export function readTable(text: string): Map<string, RowResult> {
  const results = new Map<string, RowResult>();
  for (const line of text.split('\n')) {
    if (!/^\| [A-Z]\d+ /.test(line)) continue;
    const [id = '', , , result, figure = '', date = '', machine = '', tests = ''] = line
      .slice(1)
      .split('|')
      .map((part) => part.trim());
    if (date === '') continue;
    results.set(id, {
      id,
      passed: result === PASSED,
      figure,
      date,
      machine,
      tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    });
  }
  return results;
}
