// `npm run test:chaos`: the long tests. Those of `npm test` that take a length, with more rounds, the slow proofs that `npm test`
// leaves out, and the load tests of tests/load, which need the whole machine. With `--report` (and `--rows M,C4`): the tests of the
// planned faults, in minutes, and docs/fault-results.md from their results.
import { spawn } from 'node:child_process';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { startPostgres } from './postgres.mjs';
import { bun, bunEnvironment, exitOnSignals, inRoot, root, say } from './project.mjs';
import { slowProofs } from './slow-proofs.mjs';
import { runStep, testStep } from './steps.mjs';
import { findTests } from './test-files.mjs';

/** Tests that read these variables run long; the caller's own values win. */
const long = {
  CHAOS_KILLS: '50',
  CRASH_ROUNDS: '50',
  TOLLGATE_CUTS: '1000',
  BILLING_STEPS: '20000',
  FUZZ_BODIES: '100000',
};

async function runLongTests() {
  const env = { ...long, ...process.env };
  const files = [
    ...findTests(['tests/chaos', 'tests/load']),
    ...findTests(['tests/integration']).filter(
      (file) =>
        /ledger\/(crash|random)|calls\/(cuts|fuzz|streams-network|virtual-(random|kill))/.test(file) ||
        slowProofs.test(file),
    ),
  ];
  const patience = { timeoutMs: 1_800_000, limitSeconds: 3600, atOnce: 1 };
  const { counts } = await runStep(testStep('chaos', files, { env, ...patience }));
  say(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 ? 0 : 1;
}

async function makeReport(options) {
  await ensureConsole();
  const CHROMIUM_PATH = await ensureChromium();
  const postgres = await startPostgres();
  let report;
  const stop = async () => {
    report?.kill();
    await postgres.stop();
  };
  exitOnSignals(stop);
  try {
    report = spawn(bun, [inRoot('tests', 'faults', 'report.ts'), ...options], {
      cwd: root,
      env: bunEnvironment({ CHROMIUM_PATH, TEST_POSTGRES_URL: postgres.url }),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return await new Promise((resolve) => report.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    await postgres.stop();
  }
}

await main(async () => {
  await ensureInstalled({ dev: true });
  const [first, ...options] = process.argv.slice(2);
  process.exit(await (first === '--report' ? makeReport(options) : runLongTests()));
});
