// `npm test`: all tests, on a machine with Node and npm only. The last line is `N passed, N failed`, the one before it names the
// files that passed only when run again: `unsteady: N`, and more than two fail the run. `npm test -- path …` runs only the test
// files whose path matches, `npm test -- --changed [commit]` those that a change can reach. With `CI` set, everything runs on both
// databases, with lint, types and what scripts/left-to-ci.mjs names. test-results/costs.tsv has what each process of tests took.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { buildForTests } from './built-for-tests.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole, ensureConsoleForTests } from './console.mjs';
import { changedTests } from './changed-tests.mjs';
import { makeFastFolder } from './fast-folder.mjs';
import { ensureInstalled, main } from './install.mjs';
import { isLeftToCi } from './left-to-ci.mjs';
import { createPlaces } from './places.mjs';
import { startPostgres } from './postgres.mjs';
import {
  endedProcessorTime,
  exitOnSignals,
  inRoot,
  processorTime,
  say,
  seconds,
  wordsOfTime,
} from './project.mjs';
import {
  cheapSteps,
  costsOf,
  runStep,
  slowestOf,
  slowUnitStep,
  staticSteps,
  summaryOf,
  testStep,
  unitFolders,
  unitStep,
} from './steps.mjs';
import { findTests } from './test-files.mjs';

const isCi = !['', '0', 'false', undefined].includes(process.env.CI);

/** Money, jobs, limits and access are proved on both databases in every run. Elsewhere SQLite is enough without CI. */
const onBothDatabases =
  /integration\/(money|app|relay\/batches|platform\/(jobs|security)|admin\/(accounts|figures|outside-logins|sign-on|tokens))\/|money|moving|move-|limit|charge|crash|kill|hold/;
const databasesOf = (file) => (isCi || onBothDatabases.test(file) ? {} : { TEST_DATABASES: 'sqlite' });

const isLeftOut = (file) => !isCi && isLeftToCi(file);
/** In the other browser tests: accessibility, and a page once more in another language, theme or width (tests/support/looks.ts). */
const withoutLooks = isCi ? {} : { TEST_LOOKS: 'none' };
/** Files that look at how the console is loaded, or open every page. */
const ON_SHIPPED_CONSOLE =
  /e2e\/(budget|clicks|first-load|first-run|looks|pages-of-things|screens|shell|slow-network)\./;
let consoleForTests;
const browserEnvironment = (file) =>
  ON_SHIPPED_CONSOLE.test(file) ? withoutLooks : { ...withoutLooks, CONSOLE_DIRECTORY: consoleForTests };

// Folders of tests/, the longest files first and folders of many short ones last, so that no processor is idle at the end.
// `together`: so many files share a process. `waiting`: files that wait for real time limits take no place, which they would leave
// idle; `dealt`: long files are dealt out evenly. A few failed files of `secondRuns` run once more, alone and with the same seed, and
// are named; random tests do not. Tests that kill processes run alone, and only with CI, which has two short ones of the chaos
// tests: `npm run test:chaos` runs all.
const suites = [
  { name: 'e2e', secondRuns: 3, together: 6, envOf: browserEnvironment, dealt: true },
  {
    name: 'integration',
    secondRuns: 3,
    together: 16,
    envOf: databasesOf,
    waiting: /app\/commands|port\/slow|calls\/(outage|realtime-life)|ledger\/(settlement-record|unwritable)/,
  },
  { name: 'conformance', together: 6 },
  { name: 'support' },
  { name: 'faults' },
  { name: 'chaos', takes: Infinity, only: /chaos\/(kill|rounding)/ },
];
const patience = { timeoutMs: 120_000, limitSeconds: 600 };
/** Long tests: `npm run test:chaos`, `npm run bench`. */
const NEEDS_ITS_OWN_COMMAND = /^tests\/(bench|clients|load)\/|^tests\/chaos\/(?!kill|rounding)/;

/** A preparation as a step: an error is its output. `give` receives the result. */
const prepared = (name, prepare, give = () => {}) => ({
  name,
  run: async () => {
    try {
      give(await prepare());
      return { code: 0, output: '' };
    } catch (error) {
      return { code: 1, output: error instanceof Error ? error.message : String(error) };
    }
  },
});

/** In an order in which each group of at most `most` has its share of the long files. */
function dealOut(files, most) {
  const groups = Math.ceil(files.length / most);
  const size = (file) => statSync(inRoot(file)).size;
  const longFirst = files.toSorted((a, b) => size(b) - size(a));
  return longFirst
    .map((file, place) => ({ file, group: place % groups }))
    .toSorted((a, b) => a.group - b.group)
    .map(({ file }) => file);
}

const matchingFiles = (parts) =>
  findTests([...unitFolders, 'tests']).filter((file) =>
    parts.some((part) => file.includes(part.replace(/^\.\//, ''))),
  );

async function testSteps(chosen, options) {
  const [flag, commit] = chosen;
  if (flag === '--changed') {
    const files = (await changedTests(commit)).filter((file) => !NEEDS_ITS_OWN_COMMAND.test(file));
    return [testStep('tests of the change', files, { ...options, ...patience })];
  }
  if (chosen.length > 0)
    return [testStep(chosen.join(' '), matchingFiles(chosen), { ...options, ...patience })];
  return [
    ...(isCi ? [slowUnitStep({ ...options, ...patience })] : []),
    ...suites
      .map(({ name, only = /./, dealt = false, ...own }) => {
        const files = findTests([`tests/${name}`]).filter((file) => only.test(file) && !isLeftOut(file));
        return { name, files: dealt ? dealOut(files, own.together) : files, own };
      })
      .filter(({ files }) => files.length > 0)
      .map(({ name, files, own }) => testStep(`${name} tests`, files, { ...options, ...patience, ...own })),
  ];
}

await main(async () => {
  const startedAt = Date.now();
  const chosen = process.argv.slice(2);
  await ensureInstalled({ dev: true });

  const folder = makeFastFolder();
  // Also for the PostgreSQL that is started here.
  if (folder !== undefined) process.env.TMPDIR = folder;
  const env = {};
  let postgres = { stop: async () => {} };
  let made = { remove: () => {} };
  const clear = async () => {
    await postgres.stop();
    made.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  exitOnSignals(clear);
  const isWhole = chosen.length === 0;
  const preparations = [
    prepared('console', ensureConsole),
    prepared('browser', ensureChromium, (file) => {
      env.CHROMIUM_PATH = file;
    }),
  ];
  if (isWhole)
    preparations.push(
      prepared('console for tests', ensureConsoleForTests, (built) => {
        consoleForTests = built;
      }),
    );
  const results = [];
  // Tests wait as often as they compute, so there are two places more than processors. Everything asks for its place at once and
  // in this order: no processor is idle while the last file of a step runs.
  const places = createPlaces(availableParallelism() + 2);
  const inPlace = (step) => ({ ...step, run: () => places.use(1, step.run) });
  const checks = (isCi ? staticSteps : cheapSteps).map(inPlace);
  try {
    const database = prepared('PostgreSQL', startPostgres, (server) => {
      postgres = server;
      env.TEST_POSTGRES_URL = server.url;
    });
    const build = () => buildForTests({ server: isWhole && !isCi });
    const ownServer = prepared('server for tests', build, (result) => {
      made = result;
      Object.assign(env, result.env);
    });
    results.push(...(await Promise.all([database, ownServer].map(runStep))));
    // They need no browser and no console.
    const early = (isWhole ? [...checks, unitStep({ env, places })] : []).map(runStep);
    results.push(...(await Promise.all(preparations.map(runStep))));
    const testing = (await testSteps(chosen, { env, places })).map(runStep);
    results.push(...(await Promise.all([...early, ...testing])));
  } finally {
    await clear();
  }
  // Of what ran here, only PostgreSQL has ended since the last step.
  const ofPostgres = wordsOfTime(endedProcessorTime());
  const { failed, lines } = summaryOf(results);
  if (isWhole && !isCi)
    say(
      'left out without CI=1: lint and types (npm run check), the second database where neither money, jobs, limits nor access are, looks, walks, accessibility, guides, slow proofs, what starts the compiler, browser tests beyond the main ones (scripts/left-to-ci.mjs)',
    );
  mkdirSync(inRoot('test-results'), { recursive: true });
  writeFileSync(inRoot('test-results', 'costs.tsv'), `${costsOf(results).join('\n')}\n`);
  for (const line of ['the slowest files:', ...slowestOf(results)]) say(line);
  if (ofPostgres !== '') say(`PostgreSQL took ${ofPostgres}`);
  say([`took ${seconds(startedAt)}`, wordsOfTime(processorTime())].filter(Boolean).join(', '));
  for (const line of lines) say(line);
  process.exit(failed === 0 ? 0 : 1);
});
