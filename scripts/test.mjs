// `npm test`: all tests, on a machine with Node and npm only. The last line is `N passed, N failed`, the one before it names the
// files that passed only when run again: `unsteady: N`, and more than two fail the run. `npm test -- path …` runs only the test
// files whose path matches.
import { availableParallelism } from 'node:os';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { startPostgres } from './postgres.mjs';
import { exitOnSignals, say, seconds } from './project.mjs';
import { runStep, staticSteps, summaryOf, testStep, unitFolders, unitTests } from './steps.mjs';
import { findTests } from './test-files.mjs';

// Folders of tests/ by cost; the rest is support or has its own command. Integration and browser tests wait as often as they
// compute, so two more than there are processors; those that wait for real time limits begin first, so that none of them is
// left at the end. A few failed files of these run once more, alone and with the same seed, and are named; random tests do not. Tests that kill processes run alone, and of the chaos tests only two short ones: `npm run test:chaos`
// runs all.
const suites = [
  { name: 'support' },
  { name: 'faults' },
  {
    name: 'integration',
    atOnce: availableParallelism() + 2,
    secondRuns: 3,
    first: /app\/commands|port\/slow|calls\/(outage|realtime-life)|ledger\/(settlement-record|unwritable)/,
  },
  { name: 'conformance' },
  { name: 'chaos', atOnce: 1, only: /chaos\/(kill|rounding)/ },
  { name: 'e2e', atOnce: availableParallelism() + 2, secondRuns: 3 },
];
const patience = { timeoutMs: 60_000, limitSeconds: 300 };

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

function testSteps(chosen, env) {
  if (chosen.length > 0) {
    const matching = findTests([...unitFolders, 'tests']).filter((file) =>
      chosen.some((part) => file.includes(part.replace(/^\.\//, ''))),
    );
    return [testStep(chosen.join(' '), matching, { env, ...patience })];
  }
  return [
    unitTests({ env }),
    ...suites
      .map(({ name, only = /./, first = /^$/, ...options }) => {
        const files = findTests([`tests/${name}`]).filter((file) => only.test(file));
        return { name, options, files: files.toSorted((a, b) => first.test(b) - first.test(a)) };
      })
      .filter(({ files }) => files.length > 0)
      .map(({ name, options, files }) => testStep(`${name} tests`, files, { env, ...patience, ...options })),
  ];
}

await main(async () => {
  const startedAt = Date.now();
  const chosen = process.argv.slice(2);
  await ensureInstalled({ dev: true });

  const env = {};
  let postgres = { stop: async () => {} };
  exitOnSignals(() => postgres.stop());
  const preparations = [
    prepared('console', ensureConsole),
    prepared('browser', ensureChromium, (file) => {
      env.CHROMIUM_PATH = file;
    }),
    prepared('PostgreSQL', startPostgres, (server) => {
      postgres = server;
      env.TEST_POSTGRES_URL = server.url;
    }),
  ];

  const results = [];
  const checks = chosen.length === 0 ? staticSteps : [];
  try {
    // The checks use one processor each and no test needs them: they run side by side, with the preparations.
    results.push(...(await Promise.all([...checks, ...preparations].map(runStep))));
    for (const step of testSteps(chosen, env)) results.push(await runStep(step));
  } finally {
    await postgres.stop();
  }
  const { failed, lines } = summaryOf(results);
  say(`took ${seconds(startedAt)}`);
  for (const line of lines) say(line);
  process.exit(failed === 0 ? 0 : 1);
});
