// `npm run check`: format, lint, types, requirement ids and unit tests, side by side; runs all and fails at the end. Lint and the
// compiler read what changed since the last run; the tests share one PostgreSQL.
import { rmSync } from 'node:fs';
import { buildForTests } from './built-for-tests.mjs';
import { makeFastFolder } from './fast-folder.mjs';
import { ensureInstalled, main } from './install.mjs';
import { startPostgres } from './postgres.mjs';
import { exitOnSignals, say, seconds } from './project.mjs';
import { quickSteps, runStep } from './steps.mjs';

await main(async () => {
  const startedAt = Date.now();
  let postgres = { stop: async () => {} };
  let built = { remove: () => {} };
  const folder = makeFastFolder();
  if (folder !== undefined) process.env.TMPDIR = folder;
  const clear = async () => {
    await postgres.stop();
    built.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  exitOnSignals(clear);
  await ensureInstalled({ dev: true });
  [postgres, built] = await Promise.all([startPostgres(), buildForTests()]);
  const results = [];
  try {
    results.push(
      ...(await Promise.all(quickSteps({ TEST_POSTGRES_URL: postgres.url, ...built.env }).map(runStep))),
    );
  } finally {
    await clear();
  }
  const failed = results.filter((result) => result.failed).map((result) => result.name);
  say(failed.length === 0 ? `check passed (${seconds(startedAt)})` : `check failed: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
});
