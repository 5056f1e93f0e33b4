// `npm run check`: format, lint, types, requirement ids and unit tests; runs all and fails at the end.
import { ensureInstalled, main } from './install.mjs';
import { exitOnSignals, say, seconds } from './project.mjs';
import { runStep, staticSteps, unitTests } from './steps.mjs';

await main(async () => {
  exitOnSignals();
  await ensureInstalled({ dev: true });
  const startedAt = Date.now();
  const results = [];
  for (const step of [...staticSteps, unitTests()]) results.push(await runStep(step));
  const failed = results.filter((result) => result.failed).map((result) => result.name);
  say(failed.length === 0 ? `check passed (${seconds(startedAt)})` : `check failed: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
});
