// Ties tests to rows: a test's title carries `(plan M1, M2)`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Glob } from 'bun';
import { plannedFaults } from './rows.ts';

const known = new Set<string>(plannedFaults.map(({ id }) => id));

export const markPattern = String.raw`\(plan [A-Z0-9, ]+\)`;

/** The rows that a title, or a whole source file, is marked with; an id that is no row is an error. */
export function rowsMarkedIn(text: string, place: string): string[] {
  const marks = [...text.matchAll(/\(plan ([^)]*)\)/g)].flatMap(([, ids = '']) => ids.split(/,\s*/));
  for (const id of marks) if (!known.has(id)) throw new Error(`${place}: the plan has no row ${id}`);
  return [...new Set(marks)];
}

export interface MarkedFile {
  readonly file: string;
  readonly rows: readonly string[];
  readonly source: string;
}

/** Every test file with a mark, as paths from the root; this folder's own tests show marks without proving rows. */
export function findMarkedFiles(root: string): MarkedFile[] {
  return [...new Glob('{contract,server,web,scripts,tests}/**/*.test.{ts,tsx,mjs}').scanSync({ cwd: root })]
    .filter((file) => !file.startsWith('tests/faults/'))
    .sort()
    .map((file) => {
      const source = readFileSync(path.join(root, file), 'utf8');
      return { file, source, rows: rowsMarkedIn(source, file) };
    })
    .filter(({ rows }) => rows.length > 0);
}
