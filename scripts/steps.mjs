// The steps of `npm run check` and `npm test`, and how a step is run and reported.
import { lintChanged, lintEverything } from './lint.mjs';
import {
  binary,
  bun,
  goEnvironment,
  inRoot,
  NO_TIME,
  run,
  say,
  seconds,
  sumOfTimes,
  wordsOfTime,
} from './project.mjs';
import { findTests, runTests, runTogether } from './test-files.mjs';

/** Types and lint take minutes beside all tests, and many where other work takes the processors, too. */
const STATIC_LIMIT_SECONDS = 2700;

/** Four checkers on two processors each learn the same types. */
const checkTypes = () =>
  run(binary('tsc'), ['-b', '--checkers', '1', '--builders', '1'], {
    env: goEnvironment(),
    limitSeconds: STATIC_LIMIT_SECONDS,
  });

/** Checks that do not run the product and take seconds. */
export const cheapSteps = [
  { name: 'format', run: () => run(binary('oxfmt'), ['--check']) },
  { name: 'requirements', run: () => run(bun, [inRoot('scripts', 'requirements.ts')]) },
];

/** Lint and types take as long as a tenth of the tests: `npm run check` and CI have them, `npm test` has not. */
export const staticSteps = [
  ...cheapSteps,
  { name: 'lint', run: () => lintEverything(STATIC_LIMIT_SECONDS) },
  { name: 'types', run: checkTypes },
];

export const unitFolders = ['contract', 'server', 'web', 'scripts', 'mock'];

export const testStep = (name, files, options) => ({ name, run: () => runTests(files, options) });

/** Tests of the checks, of the install and of the vendors' types: they start the compiler, lint and npm, and CI runs them. */
export const slowUnitTests = [
  'scripts/chart.test.ts',
  'scripts/planted-faults.test.ts',
  'scripts/install.test.mjs',
  'server/models/formats/field-fates.test.ts',
  'server/models/formats/nested-fields.test.ts',
  'server/models/formats/unread-members.test.ts',
];

export const slowUnitStep = (options) => testStep('tests that start the compiler', slowUnitTests, options);

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
  const { counts, processes = [], times = [], unsteady = [] } = result;
  const processor = sumOfTimes([result.processor ?? NO_TIME, ...processes.map((spent) => spent.processor)]);
  const parts = [
    seconds(startedAt),
    wordsOfTime(processor),
    counts && `${counts.passed} passed, ${counts.failed} failed`,
  ];
  say(`${failed ? '✗' : '✓'} ${step.name} (${parts.filter(Boolean).join(', ')})`);
  for (const { output } of unsteady) say(`  passed only when run again, alone:\n${output.trimEnd()}`);
  if (failed) say(result.output.trimEnd());
  return { name: step.name, failed, counts, processes, times, unsteady };
}

/** A line for each process of tests, the dearest first: its processor time, the kernel's part of it, its time, its files. */
export const costsOf = (results) =>
  results
    .flatMap(({ processes }) => processes)
    .toSorted((left, right) => right.processor.all - left.processor.all)
    .map(({ processor, milliseconds, files }) =>
      [processor.all, processor.kernel, milliseconds / 1000]
        .map((each) => each.toFixed(1))
        .concat(files.join(' '))
        .join('\t'),
    );

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
