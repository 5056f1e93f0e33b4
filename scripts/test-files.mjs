// Runs each test file in its own Bun process, a few at a time: files do not share state, a file that hangs or crashes is
// reported by name, and results are counted from Bun's report.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { bun, bunEnvironment, inRoot, run, seconds } from './project.mjs';

const testFile = /\.test\.(ts|tsx|mjs)$/;

/** The test files under these folders, as paths from the root. */
export function findTests(folders) {
  return folders.flatMap((folder) => {
    let names = [];
    try {
      names = readdirSync(inRoot(folder), { recursive: true }).map(String);
    } catch {
      return [];
    }
    return names
      .filter((name) => testFile.test(name))
      .map((name) => path.posix.join(folder, name))
      .sort();
  });
}

/** What tests/support/random.ts prints: the file has random tests, and this is their seed. */
const isRandom = (output) => /^random test: TEST_SEED=\d+$/m.test(output);

/**
 * Resolves with {code, output, counts, slowest, unsteady}; output of failed files only. `secondRuns`: up to that many failed
 * files run once more, alone and with the same seed, when the others are done. A file that passes then counts as passed, but it
 * is named in `unsteady` ({file, seed, output}) with the output of its first run: a test there depends on the machine and needs
 * mending. A random test that has failed has found something: it does not run again.
 */
export async function runTests(
  files,
  { env = {}, timeoutMs = 20_000, limitSeconds = 150, atOnce = availableParallelism(), secondRuns = 0 } = {},
) {
  if (files.length === 0) return { code: 1, output: 'no test files', counts: { passed: 0, failed: 1 } };
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const given = env.TEST_SEED ?? process.env.TEST_SEED;
  const waiting = files.map((file, index) => ({
    file,
    report: path.join(scratch, `${index}.xml`),
    seed: given ?? String(randomInt(1_000_000)),
  }));
  const results = [];
  const runOne = async ({ file, report, seed }) => {
    const startedAt = Date.now();
    const result = await runFile(file, report, { env: { ...env, TEST_SEED: seed }, timeoutMs, limitSeconds });
    return { ...result, file, report, seed, milliseconds: Date.now() - startedAt };
  };
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await runOne(next));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, worker));
  const unsteady = [];
  const failedFirst = results.filter((result) => result.counts.failed > 0);
  // More failures than that are no accident of the machine.
  const repeated = failedFirst.length <= secondRuns ? failedFirst : [];
  for (const first of repeated.filter(({ output }) => !isRandom(output))) {
    const second = await runOne({ ...first, report: `${first.report}.second` });
    if (second.counts.failed > 0) continue;
    results[results.indexOf(first)] = second;
    unsteady.push({ file: first.file, seed: first.seed, output: first.output });
  }
  rmSync(scratch, { recursive: true, force: true });
  const sum = (name) => results.reduce((total, result) => total + result.counts[name], 0);
  const failures = results.filter((result) => result.counts.failed > 0);
  const slowest = results.toSorted((left, right) => right.milliseconds - left.milliseconds).slice(0, 3);
  return {
    unsteady,
    slowest: slowest.map(({ file, milliseconds }) => `${file} ${Math.round(milliseconds / 1000)} s`),
    code: failures.length === 0 ? 0 : 1,
    output: failures.map((failure) => failure.output).join('\n'),
    counts: { passed: sum('passed'), failed: sum('failed') },
  };
}

async function runFile(file, report, { env, timeoutMs, limitSeconds }) {
  const startedAt = Date.now();
  const args = [
    'test',
    '--only-failures',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    `--timeout=${timeoutMs}`,
  ];
  const result = await run(bun, [...args, `./${file}`], {
    limitSeconds,
    env: bunEnvironment({ NODE_ENV: 'test', ...env }),
  });
  const counts = readCounts(report);
  // A file that does not load, crashes, hangs or has no test counts as a failure.
  if (counts.passed + counts.failed === 0 || (result.code !== 0 && counts.failed === 0)) counts.failed += 1;
  return {
    counts,
    output: `--- ${file} (${seconds(startedAt)}, exit code ${result.code})\n${result.output.trim()}\n`,
  };
}

/**
 * Runs the files in as many processes as there are processors, each file with modules and globals of its own, the slowest of the last
 * run first. Quicker than a process for each file; a file that crashes takes the rest of its process with it.
 */
export async function runTogether(files, { env = {} } = {}) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const report = path.join(scratch, 'report.xml');
  const timings = inRoot('node_modules', '.cache', 'unit-timings.json');
  mkdirSync(path.dirname(timings), { recursive: true });
  const args = [
    'test',
    `--parallel=${availableParallelism()}`,
    '--only-failures',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    `--timings=${timings}`,
    '--update-timings',
    '--timeout=60000',
    ...files.map((file) => `./${file}`),
  ];
  const result = await run(bun, args, { env: bunEnvironment({ NODE_ENV: 'test', ...env }) });
  const counts = readCounts(report);
  rmSync(scratch, { recursive: true, force: true });
  if (result.code !== 0 && counts.failed === 0) counts.failed += 1;
  return { code: result.code, output: result.output, counts };
}

export function readCounts(report) {
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
