import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot } from './project.mjs';
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
  expect(result.unsteady.join('')).toContain('unsteady.test.ts');
  expect(result.output).not.toContain('unsteady.test.ts');
  expect(await runTests([files[1], files[1]], { timeoutMs: 2000, secondRuns: 1 })).toMatchObject({
    counts: { failed: 2 },
  });
});

test('tests are found in folders below, and a folder that is not there has none', () => {
  write('found.test.ts', '');
  expect(findTests([folder])).toContain(`${folder}/found.test.ts`);
  expect(findTests(['no-such-folder'])).toEqual([]);
});
