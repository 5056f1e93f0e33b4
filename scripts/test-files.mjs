// Runs test files in Bun processes, a few at a time: a file that hangs or crashes is reported by name, and results are counted
// from Bun's report.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { createPlaces } from './places.mjs';
import { bun, bunEnvironment, inRoot, run, seconds, sumOfTimes } from './project.mjs';
import { groupsOf, needsOwnProcess } from './test-groups.mjs';

const TEST_FILE = /\.test\.(ts|tsx|mjs)$/;

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
      .filter((name) => TEST_FILE.test(name))
      .map((name) => path.posix.join(folder, name))
      .sort();
  });
}

/** What tests/support/random.ts prints: the file has random tests, and this is their seed. */
const isRandom = (output) => /^random test: TEST_SEED=\d+$/m.test(output);

/**
 * Resolves with {code, output, counts, processes, times, unsteady, startedAt}; output of failed files only. `together`: so many files
 * of a folder share a process. `places`: who else runs; each process takes `takes` of them, files that match `waiting` have a process of their own and take none.
 * `secondRuns`: up to that many failed files run once more, alone and with the same seed, when the others are done. A file that
 * passes then counts as passed, but it is named in `unsteady` ({file, seed, output}) with the output of its first run: a test
 * there depends on the machine or on a neighbour and needs mending. A random test that has failed has found something: it does
 * not run again.
 */
export async function runTests(
  files,
  {
    env = {},
    envOf,
    waiting = /^$/,
    timeoutMs = 20_000,
    limitSeconds = 150,
    atOnce = availableParallelism(),
    places = createPlaces(atOnce),
    takes = 1,
    together = 1,
    secondRuns = 0,
  } = {},
) {
  if (files.length === 0) return { code: 1, output: 'no test files', counts: { passed: 0, failed: 1 } };
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const given = env.TEST_SEED ?? process.env.TEST_SEED;
  const limits = { timeoutMs, limitSeconds };
  let startedAt;
  let reports = 0;
  const processes = [];
  const runGroup = async (group, seed = given ?? String(randomInt(1_000_000))) => {
    startedAt ??= Date.now();
    const report = path.join(scratch, `${(reports += 1)}.xml`);
    const own = { env: { ...env, ...group.env, TEST_SEED: seed }, ...limits };
    const { results, ...spent } = await runProcess(group.files, report, own);
    processes.push(spent);
    return results.map((result) => ({ ...result, seed, env: group.env }));
  };
  const runAlone = async ({ file, env: own, seed }) => (await runGroup({ files: [file], env: own }, seed))[0];
  const unsteady = [];
  const name = ({ file, seed, output }) => unsteady.push({ file, seed, output });
  const sizeOf = (group) => group.files.reduce((sum, file) => sum + statSync(inRoot(file)).size, 0);
  // Long groups first, so that the last ones are short.
  const groups = groupsOf(files, { most: together, envOf, alone: waiting }).toSorted(
    (left, right) => sizeOf(right) - sizeOf(left),
  );
  const takesOf = (group) => (waiting.test(group.files[0]) ? 0 : takes);
  const firstRuns = await Promise.all(
    groups.map((group) =>
      places.use(takesOf(group), async () => {
        const results = await runGroup(group);
        // The process ended before these files were reported: each has its first run alone. If all pass then, they are named.
        const missing = results.filter(({ counts }) => counts === undefined);
        for (const result of missing) results[results.indexOf(result)] = await runAlone(result);
        const names = new Set(missing.map(({ file }) => file));
        const hasFailed = results.some(({ file, counts }) => names.has(file) && counts.failed > 0);
        if (names.size > 0 && !hasFailed) name({ ...missing[0], file: [...names].join(' + ') });
        return results;
      }),
    ),
  );
  const results = firstRuns.flat();
  const failedFirst = results.filter((result) => result.counts.failed > 0);
  // More failures than that are no accident of the machine.
  const repeated = failedFirst.length <= secondRuns ? failedFirst : [];
  for (const first of repeated.filter(({ output }) => !isRandom(output))) {
    const second = await places.use(places.total, () => runAlone(first));
    if (second.counts.failed > 0) continue;
    results[results.indexOf(first)] = second;
    name(first);
  }
  rmSync(scratch, { recursive: true, force: true });
  const sum = (key) => results.reduce((total, result) => total + result.counts[key], 0);
  const failures = results.filter((result) => result.counts.failed > 0);
  return {
    startedAt,
    unsteady,
    processes,
    times: results.map(({ file, milliseconds }) => ({ file, milliseconds })),
    code: failures.length === 0 ? 0 : 1,
    output: [...new Set(failures.map((failure) => failure.output))].join('\n'),
    counts: { passed: sum('passed'), failed: sum('failed') },
  };
}

/**
 * Runs the files in one process and resolves with a result for each and what the process took. Files that share a process and were
 * not reported have no counts: they have to run again, each alone.
 */
async function runProcess(files, report, { env, timeoutMs, limitSeconds }) {
  const startedAt = Date.now();
  const args = [
    'test',
    '--only-failures',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    `--timeout=${timeoutMs}`,
  ];
  const result = await run(bun, [...args, ...files.map((file) => `./${file}`)], {
    limitSeconds: limitSeconds + 60 * (files.length - 1),
    env: bunEnvironment({ NODE_ENV: 'test', ...env }),
  });
  const milliseconds = Date.now() - startedAt;
  const spent = { files, milliseconds, processor: result.processor };
  const reported = readFileCounts(report);
  const outputOf = (names) =>
    `--- ${names} (${seconds(startedAt)}, exit code ${result.code})\n${result.output.trim()}\n`;
  if (files.length === 1) {
    const [file] = files;
    const counts = readCounts(report);
    // A file that does not load, crashes, hangs or has no test counts as a failure.
    if (counts.passed + counts.failed === 0 || (result.code !== 0 && counts.failed === 0)) counts.failed += 1;
    return { ...spent, results: [{ file, counts, output: outputOf(file), milliseconds }] };
  }
  const isExplained =
    result.code === 0 || [...reported.values()].some(({ counts: { failed } }) => failed > 0);
  const output = outputOf(files.join(', '));
  const results = files.map((file) => ({
    file,
    milliseconds: 0,
    ...(isExplained ? reported.get(file) : undefined),
    output,
  }));
  return { ...spent, results };
}

/**
 * Runs the files in as many processes as there are processors, the slowest of the last run first. Files that leave their process as they
 * found it share its modules: loading them anew for each file is a fifth of the work. A file that crashes takes the rest of its
 * process with it.
 */
export async function runTogether(files, { env = {}, places } = {}) {
  const atOnce = availableParallelism();
  return await (places?.use(atOnce, () => runInWorkers(files, env, atOnce)) ??
    runInWorkers(files, env, atOnce));
}

async function runInWorkers(files, env, atOnce) {
  const startedAt = Date.now();
  const isAlone = (file) => needsOwnProcess(readFileSync(inRoot(file), 'utf8'));
  const shared = files.filter((file) => !isAlone(file));
  const runs = [];
  for (const [together, ...isolation] of [[shared, '--no-isolate'], [files.filter(isAlone)]])
    if (together.length > 0)
      runs.push(await runWorkers(together, env, [`--parallel=${atOnce}`, ...isolation]));
  const sum = (key) => runs.reduce((total, { counts }) => total + counts[key], 0);
  return {
    code: runs.find(({ code }) => code !== 0)?.code ?? 0,
    output: runs.map(({ output }) => output).join('\n'),
    counts: { passed: sum('passed'), failed: sum('failed') },
    processor: sumOfTimes(runs.map(({ processor }) => processor)),
    times: runs.flatMap(({ times }) => times),
    startedAt,
  };
}

async function runWorkers(files, env, workers) {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-test-'));
  const report = path.join(scratch, 'report.xml');
  const timings = inRoot('node_modules', '.cache', 'unit-timings.json');
  mkdirSync(path.dirname(timings), { recursive: true });
  const args = [
    'test',
    ...workers,
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
  const times = [...readFileCounts(report)].map(([file, { milliseconds }]) => ({ file, milliseconds }));
  rmSync(scratch, { recursive: true, force: true });
  if (result.code !== 0 && counts.failed === 0) counts.failed += 1;
  return { ...result, counts, times };
}

function readReport(report) {
  try {
    return readFileSync(report, 'utf8');
  } catch {
    return '';
  }
}

function countsIn(head) {
  const number = (name) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  return { passed: number('tests') - failed - number('skipped'), failed };
}

/** All files of a report together. */
export function readCounts(report) {
  return countsIn(/<testsuites [^>]*>/.exec(readReport(report))?.[0] ?? '');
}

/** Each file of a report that has tests: {counts, milliseconds} by its path. */
function readFileCounts(report) {
  // The suite of a file is indented by two spaces, those of its `describe`s by more.
  const heads = readReport(report).match(/^ {2}<testsuite [^>]*>/gm) ?? [];
  const files = new Map();
  for (const head of heads) {
    const counts = countsIn(head);
    const duration = Number(/ time="([\d.]+)"/.exec(head)?.[1] ?? 0);
    if (counts.passed + counts.failed > 0)
      files.set(/ file="([^"]*)"/.exec(head)?.[1], { counts, milliseconds: duration * 1000 });
  }
  return files;
}
