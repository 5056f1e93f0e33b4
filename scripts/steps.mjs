// The named steps that `npm run check` and `npm test` are made of, and how one is run and reported.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { binary, bun, bunEnvironment, inRoot, run, say, seconds } from './project.mjs';

const unitRoots = ['contract', 'server', 'web', 'scripts'];

/** Format, lint, types and requirement ids: what can be said without running the product. */
export const staticSteps = [
  { name: 'format', run: () => run(binary('oxfmt'), ['--check']) },
  { name: 'lint', run: () => run(binary('oxlint'), ['--quiet']) },
  { name: 'types', run: () => run(binary('tsc'), ['-b']) },
  { name: 'requirements', run: () => run(bun, [inRoot('scripts', 'requirements.ts')]) },
];

export const unitTests = {
  name: 'unit tests',
  run: (env) =>
    runTests(
      unitRoots.map((folder) => `./${folder}/`),
      { env },
    ),
};

/** Runs test files and counts them from bun's report, so that a crash cannot pass for success. */
export async function runTests(patterns, { env = {}, timeoutMs = 20_000, limitSeconds = 300 } = {}) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const report = path.join(scratch, 'junit.xml');
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`, '--only-failures'];
  const args = ['test', ...reporter, `--timeout=${timeoutMs}`, ...patterns];
  const result = await run(bun, args, { limitSeconds, env: bunEnvironment({ NODE_ENV: 'test', ...env }) });
  const counts = readCounts(report);
  rmSync(scratch, { recursive: true, force: true });
  // An error outside any test (a file that does not load) and a run of nothing are failures of their own.
  if (counts.passed + counts.failed === 0 || (result.code !== 0 && counts.failed === 0)) counts.failed += 1;
  return { code: counts.failed > 0 ? 1 : result.code, output: result.output, counts };
}

function readCounts(report) {
  let xml = '';
  try {
    xml = readFileSync(report, 'utf8');
  } catch {
    return { passed: 0, failed: 0 };
  }
  const head = /<testsuites [^>]*>/.exec(xml)?.[0] ?? '';
  const number = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  return { passed: number('tests') - failed - number('skipped'), failed };
}

/** Runs one step, prints its line, its output when it failed, and resolves with what it gave. */
export async function runStep(step) {
  const startedAt = Date.now();
  const result = await step.run();
  const failed = result.code !== 0;
  const tally = result.counts ? `, ${result.counts.passed} passed, ${result.counts.failed} failed` : '';
  say(`${failed ? '✗' : '✓'} ${step.name} (${seconds(startedAt)}${tally})`);
  if (failed) say(result.output.trimEnd());
  return { name: step.name, failed, counts: result.counts };
}
