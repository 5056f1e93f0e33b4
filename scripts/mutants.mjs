// `npm run test:mutants`: plants one fault after the other into a copy of the sources and expects the related tests to fail.
// The list is in tests/mutants/. Options: `--only <name>` (repeatable), `--changed` (mutants whose source or tests differ from
// main), `--again` (also those that have a result for these sources). Ends with 1 when fewer than 95 % are caught.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled, main } from './install.mjs';
import { startPostgres } from './postgres.mjs';
import { bun, bunEnvironment, exitOnSignals, inRoot, root, run, say, seconds } from './project.mjs';
import { mutated, verdictOf } from './mutant-verdict.mjs';
import { mutants } from '#tests/mutants/index.mjs';

const NEEDED = 0.95;
/** Tests of the money take processors, disk and PostgreSQL: more at once would make limits in seconds fail. */
const AT_ONCE = 2;
const LIMIT_SECONDS = 240;
const TEST_TIMEOUT_MS = 60_000;
const resultsFile = inRoot('node_modules', '.cache', 'mutants.json');

function sourceFiles() {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  return list
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(inRoot(file)));
}

/** Results are kept for exactly these sources. */
function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files.filter((name) => /^(contract|server|tests|scripts)\/|^package/.test(name)))
    hash.update(`${file}\0`).update(readFileSync(inRoot(file)));
  return hash.digest('hex');
}

function changedFiles() {
  const against = ['diff', '--name-only', 'main'];
  return new Set(execFileSync('git', against, { cwd: root }).toString().split('\n'));
}

function chosen(args) {
  const only = args.flatMap((arg, index) => (args[index - 1] === '--only' ? [arg] : []));
  const unknown = only.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`no mutant of the name ${unknown.join(', ')}`);
  const changed = args.includes('--changed') ? changedFiles() : undefined;
  return mutants.filter(
    ({ name, file, tests }) =>
      (only.length === 0 || only.includes(name)) &&
      (changed === undefined || [file, ...tests].some((each) => changed.has(each))),
  );
}

/** A copy of the sources; packages are shared, but not their cache. */
function makeCopy(files) {
  const copy = mkdtempSync(path.join(tmpdir(), 'tollgate-mutant-'));
  for (const file of files) {
    mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    copyFileSync(inRoot(file), path.join(copy, file));
  }
  mkdirSync(path.join(copy, 'node_modules'));
  for (const name of readdirSync(inRoot('node_modules')))
    if (name !== '.cache') symlinkSync(inRoot('node_modules', name), path.join(copy, 'node_modules', name));
  return copy;
}

async function runTests(copy, { tests, title }, env) {
  const args = ['test', '--bail=1', `--timeout=${TEST_TIMEOUT_MS}`, ...(title ? ['-t', title] : [])];
  const files = tests.map((file) => `./${file}`);
  const environment = bunEnvironment({ NODE_ENV: 'test', ...env });
  return await run(bun, [...args, ...files], { cwd: copy, limitSeconds: LIMIT_SECONDS, env: environment });
}

async function tryMutant(copy, mutant, env) {
  const file = path.join(copy, mutant.file);
  const source = readFileSync(file, 'utf8');
  for (let tries = 1; tries <= 3; tries += 1) {
    let result;
    writeFileSync(file, mutated(mutant, source));
    try {
      result = await runTests(copy, mutant, env);
    } finally {
      writeFileSync(file, source);
    }
    const { code, output } = result;
    const verdict = verdictOf(code, output);
    const by = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m.exec(output)?.[1] ?? '';
    if (verdict !== 'caught' || (await passWithoutFault(copy, mutant, env))) return { verdict, by, output };
  }
  return { verdict: 'broken', by: 'its tests fail without the fault', output: '' };
}

const passing = new Set();
const testKey = ({ tests, title }) => `${tests.join(' ')}${title ? ` -t '${title}'` : ''}`;

/**
 * Tests that fail anyway prove nothing. With more work than processors a test may fail of that alone, so each fault needs a
 * run that passes beside it; otherwise each set of tests runs once without a fault.
 */
async function passWithoutFault(copy, mutant, env) {
  const key = testKey(mutant);
  const isCrowded = loadavg()[0] > availableParallelism() * 2;
  if (passing.has(key) && !isCrowded) return true;
  const { code, output } = await runTests(copy, mutant, env);
  if (code !== 0) say(`fails without a fault: ${key}\n${output.trimEnd().slice(-2000)}`);
  else passing.add(key);
  return code === 0;
}

/** Each copy takes the next item when it is free. */
async function share(copies, items, work) {
  const waiting = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await work(copy, next);
    }),
  );
}

function readResults(sources) {
  try {
    const kept = JSON.parse(readFileSync(resultsFile, 'utf8'));
    return kept.sources === sources ? kept.results : {};
  } catch {
    return {};
  }
}

function report(list, results) {
  const counts = { caught: 0, survived: 0, broken: 0 };
  for (const { name, file, meaning, survives } of list) {
    const { verdict, by } = results[name];
    counts[verdict] += 1;
    say(`${verdict.padEnd(8)}  ${name.padEnd(34)}  ${file.padEnd(44)}  ${meaning}`);
    if (verdict === 'caught') say(`          by: ${by}`);
    else say(`          reason: ${survives ?? by}`);
  }
  const score = list.length === 0 ? 1 : counts.caught / list.length;
  say(`${counts.caught} caught, ${counts.survived} survived, ${counts.broken} broken`);
  say(`score ${(score * 100).toFixed(1)} % of ${list.length}`);
  return score;
}

await main(async () => {
  const args = process.argv.slice(2);
  const startedAt = Date.now();
  const list = chosen(args);
  for (const mutant of list) mutated(mutant, readFileSync(inRoot(mutant.file), 'utf8'));
  await ensureInstalled({ dev: true });
  const files = sourceFiles();
  const sources = fingerprint(files);
  const results = args.includes('--again') ? {} : readResults(sources);
  const open = list.filter(({ name }) => results[name] === undefined);
  const given = process.env.TEST_POSTGRES_URL;
  const postgres = given ? { url: given, stop: async () => {} } : await startPostgres();
  const copies = Array.from({ length: Math.min(AT_ONCE, open.length) }, () => makeCopy(files));
  const clear = async () => {
    await postgres.stop();
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  };
  exitOnSignals(clear);
  const env = { TEST_POSTGRES_URL: postgres.url };
  try {
    await share(copies, open, async (copy, mutant) => {
      const begunAt = Date.now();
      const { output, ...result } = await tryMutant(copy, mutant, env);
      results[mutant.name] = result;
      say(`${result.verdict} ${mutant.name} (${seconds(begunAt)}) ${result.by}`);
      if (result.verdict === 'broken') say(output.trimEnd().slice(-2000));
      mkdirSync(path.dirname(resultsFile), { recursive: true });
      writeFileSync(resultsFile, JSON.stringify({ sources, results }, undefined, 1));
    });
  } finally {
    await clear();
  }
  const score = report(list, results);
  say(`took ${seconds(startedAt)}`);
  process.exit(score >= NEEDED ? 0 : 1);
});
