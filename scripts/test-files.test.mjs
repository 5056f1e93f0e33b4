import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot } from './project.mjs';
import { slowestOf, summaryOf } from './steps.mjs';
import { findTests, runTests } from './test-files.mjs';

// Inside the project, because files are named from its root; in a folder that all other tools ignore.
const folder = `node_modules/.cache/test-files-${process.pid}`;
const head = "import { expect, test } from 'bun:test';\n";
const write = (name, body) => writeFileSync(inRoot(folder, name), head + body);
const runOne = (name) => runTests([`${folder}/${name}`], { timeoutMs: 2000, limitSeconds: 3 });

beforeAll(() => mkdirSync(inRoot(folder), { recursive: true }));
afterAll(() => rmSync(inRoot(folder), { recursive: true, force: true }));

describe('what counts as a failure', () => {
  test('passing and failing tests are counted one by one', async () => {
    write('mixed.test.ts', "test('a', () => {}); test('b', () => {}); test('c', () => expect(1).toBe(2));");
    const result = await runOne('mixed.test.ts');
    expect(result).toMatchObject({ code: 1, counts: { passed: 2, failed: 1 } });
    expect(result.output).toContain('mixed.test.ts');
  });

  test('skipped tests are neither', async () => {
    write('skipped.test.ts', "test('a', () => {}); test.skip('b', () => {});");
    expect(await runOne('skipped.test.ts')).toMatchObject({ code: 0, counts: { passed: 1, failed: 0 } });
  });

  test('a file that does not load', async () => {
    write('broken.test.ts', "throw new Error('while loading');");
    const result = await runOne('broken.test.ts');
    expect(result).toMatchObject({ code: 1, counts: { passed: 0, failed: 1 } });
    expect(result.output).toContain('while loading');
  });

  test('a file without a test, and no file at all', async () => {
    write('empty.test.ts', 'void expect;');
    expect(await runOne('empty.test.ts')).toMatchObject({ code: 1, counts: { failed: 1 } });
    expect(await runTests([])).toMatchObject({ code: 1, counts: { failed: 1 } });
  });

  test('a process that dies', async () => {
    write('dying.test.ts', "test('a', () => {}); test('b', () => process.kill(process.pid, 'SIGKILL'));");
    expect(await runOne('dying.test.ts')).toMatchObject({ code: 1, counts: { failed: 1 } });
  });

  test('a test that never gives the thread back is ended, and the others still run', async () => {
    write('hanging.test.ts', "test('a', () => { for (;;) Bun.sleepSync(100); });");
    write('fine.test.ts', "test('a', () => {});");
    const files = [`${folder}/hanging.test.ts`, `${folder}/fine.test.ts`];
    const result = await runTests(files, { timeoutMs: 1000, limitSeconds: 2, atOnce: 1 });
    expect(result).toMatchObject({ code: 1, counts: { passed: 1, failed: 1 } });
    expect(result.output).toContain('was ended after 2 s');
  });
});

test('files that mostly wait run beside those that compute', async () => {
  const mark = JSON.stringify(inRoot(folder, 'computed'));
  write(
    'waiting.test.ts',
    `import { existsSync } from 'node:fs';
    test('a', async () => { while (!existsSync(${mark})) await Bun.sleep(20); });`,
  );
  write(
    'computing.test.ts',
    `import { writeFileSync } from 'node:fs';
    test('a', () => writeFileSync(${mark}, ''));`,
  );
  const files = [`${folder}/waiting.test.ts`, `${folder}/computing.test.ts`];
  const result = await runTests(files, { timeoutMs: 20_000, atOnce: 1, waiting: /waiting/ });
  expect(result).toMatchObject({ code: 0, counts: { passed: 2, failed: 0 } });
});

test('a failed file runs again when asked: one that passes then is named, one that fails again counts', async () => {
  const mark = JSON.stringify(inRoot(folder, 'ran-before'));
  write(
    'unsteady.test.ts',
    `import { existsSync, writeFileSync } from 'node:fs';
    test('a', () => { const before = existsSync(${mark}); writeFileSync(${mark}, ''); expect(before).toBe(true); });`,
  );
  write('wrong.test.ts', "test('a', () => expect(1).toBe(2));");
  const files = [`${folder}/unsteady.test.ts`, `${folder}/wrong.test.ts`];
  const result = await runTests(files, { timeoutMs: 2000, secondRuns: 2 });
  expect(result).toMatchObject({ code: 1, counts: { passed: 1, failed: 1 } });
  expect(result.unsteady).toMatchObject([{ file: files[0], output: expect.stringContaining(files[0]) }]);
  expect(result.output).not.toContain('unsteady.test.ts');
  expect(await runTests([files[1], files[1]], { timeoutMs: 2000, secondRuns: 1 })).toMatchObject({
    counts: { failed: 2 },
  });
});

describe('the seed of random numbers', () => {
  /** Fails the first time and writes its seeds down. */
  const failingOnce = (name, more = '') =>
    write(
      `${name}.test.ts`,
      `import { appendFileSync, existsSync } from 'node:fs';
      ${more}
      test('a', () => {
        const seeds = ${JSON.stringify(inRoot(folder, `${name}.seeds`))};
        const isFirst = !existsSync(seeds);
        appendFileSync(seeds, process.env.TEST_SEED + ' ');
        expect(isFirst).toBe(false);
      });`,
    );
  const seedsOf = (name) =>
    readFileSync(inRoot(folder, `${name}.seeds`), 'utf8')
      .trim()
      .split(' ');

  test('is the same when a failed file runs again, and is named (M24)', async () => {
    failingOnce('repeated');
    const { unsteady } = await runTests([`${folder}/repeated.test.ts`], { timeoutMs: 2000, secondRuns: 1 });
    const [first, second] = seedsOf('repeated');
    expect(first).toMatch(/^\d+$/);
    expect(second).toBe(first);
    expect(unsteady).toMatchObject([{ file: `${folder}/repeated.test.ts`, seed: first }]);
  });

  test('is printed with a failed random test, which does not run again (M24)', async () => {
    failingOnce('random', `import ${JSON.stringify(inRoot('tests/support/random.ts'))};`);
    const files = [`${folder}/random.test.ts`];
    const result = await runTests(files, { timeoutMs: 2000, secondRuns: 1, env: { TEST_SEED: '4711' } });
    expect(result).toMatchObject({ code: 1, counts: { passed: 0, failed: 1 }, unsteady: [] });
    expect(result.output).toContain('TEST_SEED=4711');
    expect(seedsOf('random')).toEqual(['4711']);
  });

  test('is taken by every test from one place (M24)', () => {
    const ownSource = /Math\.random\(|process\.env(\[')?\.?\w*SEED/;
    const names = readdirSync(inRoot('tests'), { recursive: true }).map((name) => `tests/${String(name)}`);
    const files = [
      ...findTests(['contract', 'server', 'web']),
      ...names.filter((name) => name.endsWith('.ts')),
    ];
    expect(files.length).toBeGreaterThan(500);
    const found = files.filter((file) => ownSource.test(readFileSync(inRoot(file), 'utf8')));
    expect(found).toEqual(['tests/support/random.ts']);
  });
});

describe('the end of a run', () => {
  const step = (more) => ({
    failed: false,
    counts: { passed: 5, failed: 0 },
    times: [],
    unsteady: [],
    ...more,
  });
  const unsteady = (count) =>
    Array.from({ length: count }, (_, index) => ({
      file: `f${index}.test.ts`,
      seed: `${index}`,
      output: '',
    }));

  test('names the files that passed only when run again, with their seeds (M24)', () => {
    expect(summaryOf([step(), step({ unsteady: unsteady(2) })])).toEqual({
      failed: 0,
      lines: ['unsteady: 2 f0.test.ts (TEST_SEED=0), f1.test.ts (TEST_SEED=1)', '10 passed, 0 failed'],
    });
    expect(summaryOf([step()]).lines).toEqual(['unsteady: 0', '5 passed, 0 failed']);
  });

  test('is a failure when there are more than two of them, in whatever steps (M24)', () => {
    const results = [step({ unsteady: unsteady(2) }), step({ unsteady: unsteady(1) })];
    expect(summaryOf(results)).toMatchObject({ failed: 3 });
    expect(summaryOf(results).lines[1]).toBe('10 passed, 3 failed');
  });

  test('names the slowest files of all steps', () => {
    const took = (file, milliseconds) => ({ file, milliseconds });
    const results = [step({ times: [took('a', 10), took('b', 61_240)] }), step({ times: [took('c', 900)] })];
    expect(slowestOf(results, 2)).toEqual(['   61.2 s  b', '    0.9 s  c']);
  });

  test('counts a failed step without tests', () => {
    const results = [step(), step({ failed: true, counts: undefined })];
    expect(summaryOf(results).lines[1]).toBe('5 passed, 1 failed');
  });
});

test('tests are found in folders below, and a folder that is not there has none', () => {
  write('found.test.ts', '');
  expect(findTests([folder])).toContain(`${folder}/found.test.ts`);
  expect(findTests(['no-such-folder'])).toEqual([]);
});
