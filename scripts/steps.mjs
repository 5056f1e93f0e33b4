// The steps of `npm run check` and `npm test`, and how a step is run and reported.
import { lintChanged, lintEverything } from './lint.mjs';
import { binary, bun, goEnvironment, inRoot, run, say, seconds } from './project.mjs';
import { findTests, runTests, runTogether } from './test-files.mjs';

/** Four checkers on two processors each learn the same types. */
const checkTypes = () =>
  run(binary('tsc'), ['-b', '--checkers', '1', '--builders', '1'], { env: goEnvironment() });

/** Format, lint, types and requirement ids: checks that do not run the product. */
export const staticSteps = [
  { name: 'format', run: () => run(binary('oxfmt'), ['--check']) },
  { name: 'lint', run: lintEverything },
  { name: 'types', run: checkTypes },
  { name: 'requirements', run: () => run(bun, [inRoot('scripts', 'requirements.ts')]) },
];

export const unitFolders = ['contract', 'server', 'web', 'scripts', 'mock'];

export const testStep = (name, files, options) => ({ name, run: () => runTests(files, options) });

/** Tests of the checks, of the install and of the vendors' types: they start the compiler, lint and npm, and `npm test` runs them. */
const slowUnitTests = [
  'scripts/chart.test.ts',
  'scripts/planted-faults.test.ts',
  'scripts/install.test.mjs',
  'server/models/formats/field-fates.test.ts',
  'server/models/formats/nested-fields.test.ts',
  'server/models/formats/unread-members.test.ts',
];

/** `isLeftOut`: the files that this run is without. */
export const slowUnitStep = (options, isLeftOut) =>
  testStep(
    'tests that start the compiler',
    slowUnitTests.filter((file) => !isLeftOut(file)),
    options,
  );

export const unitStep = (options) => ({
  name: 'unit tests',
  run: () =>
    runTogether(
      findTests(unitFolders).filter((file) => !slowUnitTests.includes(file)),
      options,
    ),
});

/** The steps of `npm run check`. `env`: for the tests. */
export const quickSteps = (env) => [
  ...staticSteps.map((step) => (step.name === 'lint' ? { ...step, run: lintChanged } : step)),
  unitStep({ env }),
];

/** Runs one step, prints its line, and its output if it failed; resolves with its result. */
export async function runStep(step) {
  const askedAt = Date.now();
  const result = await step.run();
  // A step may have waited for others.
  const startedAt = result.startedAt ?? askedAt;
  const failed = result.code !== 0;
  const tally = result.counts ? `, ${result.counts.passed} passed, ${result.counts.failed} failed` : '';
  say(`${failed ? '✗' : '✓'} ${step.name} (${seconds(startedAt)}${tally})`);
  for (const { output } of result.unsteady ?? [])
    say(`  passed only when run again, alone:\n${output.trimEnd()}`);
  if (failed) say(result.output.trimEnd());
  const { counts, times = [], unsteady = [] } = result;
  return { name: step.name, failed, counts, times, unsteady };
}

/** The lines that name the slowest files of all steps, the slowest first. */
export function slowestOf(results, most = 10) {
  return results
    .flatMap(({ times }) => times)
    .toSorted((left, right) => right.milliseconds - left.milliseconds)
    .slice(0, most)
    .map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`);
}

/** More files than this that passed only when run again fail the run. */
const MOST_UNSTEADY = 2;

/** The last two lines of `npm test`, and how many failures they name. */
export function summaryOf(results) {
  const unsteady = results.flatMap((result) => result.unsteady);
  const names = unsteady.map(({ file, seed }) => ` ${file} (TEST_SEED=${seed})`).join(',');
  const passed = results.reduce((sum, result) => sum + (result.counts?.passed ?? 0), 0);
  // A failed step without tests counts as one failure, so that "0 failed" covers all steps.
  const failedSteps = results.map((result) => result.counts?.failed ?? Number(result.failed));
  const tooUnsteady = unsteady.length > MOST_UNSTEADY ? unsteady.length : 0;
  const failed = failedSteps.reduce((sum, count) => sum + count, tooUnsteady);
  return { failed, lines: [`unsteady: ${unsteady.length}${names}`, `${passed} passed, ${failed} failed`] };
}
