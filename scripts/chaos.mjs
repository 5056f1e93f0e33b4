// `npm run test:chaos`: the long proofs. The tests of `npm test` that can be made longer, with more of everything, and the
// loads of tests/load, which need the machine for themselves and are no part of `npm test`.
import { ensureInstalled, main } from './install.mjs';
import { say } from './project.mjs';
import { runStep, testStep } from './steps.mjs';
import { findTests } from './test-files.mjs';

/** Tests that look at these variables run long; a variable the caller sets wins. */
const long = {
  CHAOS_KILLS: '50',
  CRASH_ROUNDS: '50',
  TOLLGATE_CUTS: '1000',
  BILLING_STEPS: '20000',
  FUZZ_BODIES: '100000',
};

await main(async () => {
  await ensureInstalled({ dev: true });
  const env = { ...long, ...process.env };
  const files = [
    ...findTests(['tests/chaos', 'tests/load']),
    ...findTests(['tests/integration']).filter((file) =>
      /money\/(crash|random)|relay\/(cuts|fuzz|streams-network)/.test(file),
    ),
  ];
  const patience = { timeoutMs: 1_800_000, limitSeconds: 3600, atOnce: 1 };
  const { counts } = await runStep(testStep('chaos', files, { env, ...patience }));
  say(`${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.failed === 0 ? 0 : 1);
});
