// `npm test`: everything that proves the product, on a machine with Node and npm only. Ends with one line,
// `N passed, N failed`. `npm test -- path …` runs only the test files whose path matches.
import { existsSync, readdirSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { startPostgres } from './postgres.mjs';
import { inRoot, say, seconds } from './project.mjs';
import { runStep, runTests, staticSteps, unitTests } from './steps.mjs';

// Folders of tests/ in the order of their cost; the rest of tests/ is support or runs on its own command.
const suites = ['support', 'integration', 'conformance', 'e2e'];

const hasTests = (folder) =>
  existsSync(folder) &&
  readdirSync(folder, { recursive: true }).some((file) => /\.test\.tsx?$/.test(String(file)));

function suiteSteps(env) {
  return suites
    .filter((suite) => hasTests(inRoot('tests', suite)))
    .map((suite) => ({
      name: `${suite} tests`,
      run: () => runTests([`./tests/${suite}/`], { env, timeoutMs: 60_000 }),
    }));
}

await main(async () => {
  const startedAt = Date.now();
  const chosen = process.argv.slice(2);
  await ensureInstalled({ dev: true });
  const staticResults = [];
  if (chosen.length === 0) for (const step of staticSteps) staticResults.push(await runStep(step));
  await ensureConsole();
  const postgres = await startPostgres();
  process.once('SIGINT', () => void postgres.stop().then(() => process.exit(130)));
  process.once('SIGTERM', () => void postgres.stop().then(() => process.exit(143)));
  const results = [];
  try {
    const env = { TEST_POSTGRES_URL: postgres.url, CHROMIUM_PATH: await ensureChromium() };
    const unit = { ...unitTests, run: () => unitTests.run(env) };
    const one = { name: chosen.join(' '), run: () => runTests(chosen, { env, timeoutMs: 60_000 }) };
    for (const step of chosen.length === 0 ? [unit, ...suiteSteps(env)] : [one])
      results.push(await runStep(step));
  } finally {
    await postgres.stop();
  }
  // A failed format, lint, type or id step counts as one failure each: a green last line means all of it.
  const passed = results.reduce((sum, result) => sum + result.counts.passed, 0);
  const failedSteps = staticResults.filter((result) => result.failed).length;
  const failed = failedSteps + results.reduce((sum, result) => sum + result.counts.failed, 0);
  say(`took ${seconds(startedAt)}`);
  say(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
});
