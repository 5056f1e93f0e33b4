// `npm run test:chaos`: the long tests. Those of `npm test` that take a length, with more rounds, and the load tests of
// tests/load, which need the whole machine and are not part of `npm test`.
import { ensureInstalled, main } from './install.mjs';
import { say } from './project.mjs';
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
