// Decides from the results of the tests whether a row passes.
import type { PlannedFault } from './plan.ts';

export interface TestResult {
  readonly title: string;
  readonly rows: readonly string[];
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** The marked tests of one file, run once. */
export interface FileResult {
  readonly file: string;
  readonly tests: readonly TestResult[];
  readonly seen: readonly { readonly row: string; readonly figure: string }[];
  /** The run ended with an error, whether or not a test is named as failed. */
  readonly crashed: boolean;
}

export interface RowResult {
  readonly id: string;
  readonly passed: boolean;
  readonly figure: string;
  readonly tests: readonly string[];
  readonly date: string;
  readonly machine: string;
}

/**
 * A row passes when a test of it passed, none failed, and in each file that has a passed test of it the fault was seen. A file
 * that ended with an error although no test of it failed (a hang, an error outside its tests) fails all its rows.
 */
export function judgeRow(
  { id, untestable }: PlannedFault,
  files: readonly (FileResult & { readonly rows: readonly string[] })[],
): Pick<RowResult, 'passed' | 'figure' | 'tests'> {
  if (untestable !== undefined) return { passed: false, figure: `not tested: ${untestable}`, tests: [] };
  const own = files.filter(({ rows }) => rows.includes(id));
  const tests = own.map(({ file }) => file);
  const not = (figure: string) => ({ passed: false, figure, tests });
  if (own.length === 0) return not('no test');
  const ofRow = ({ tests: all }: FileResult) => all.filter(({ rows }) => rows.includes(id));
  const broken = own.filter(
    (file) =>
      ofRow(file).some(({ outcome }) => outcome === 'failed') ||
      (file.crashed && !file.tests.some(({ outcome }) => outcome === 'failed')),
  );
  if (broken.length > 0) return not(`failed: ${broken.map(({ file }) => file).join(', ')}`);
  const proving = own.filter((file) => ofRow(file).some(({ outcome }) => outcome === 'passed'));
  if (proving.length === 0) return not('skipped: this machine lacks what the test needs');
  const sawIt = ({ seen }: FileResult) => seen.some(({ row }) => row === id);
  const blind = proving.filter((file) => !sawIt(file));
  if (blind.length > 0) return not(`the fault was not seen: ${blind.map(({ file }) => file).join(', ')}`);
  const figures = proving.flatMap(({ seen }) => seen.filter(({ row }) => row === id));
  return { passed: true, figure: [...new Set(figures.map(({ figure }) => figure))].join('; '), tests };
}
