import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createPlaces } from './places.mjs';
import { inRoot } from './project.mjs';
import { runTests } from './test-files.mjs';
import { groupsOf, needsOwnProcess } from './test-groups.mjs';

// Inside the project, because files are named from its root; in a folder that all other tools ignore.
const folder = `node_modules/.cache/test-groups-${process.pid}`;
const write = (name, body) => {
  writeFileSync(inRoot(folder, name), `import { expect, test } from 'bun:test';\n${body}`);
  return `${folder}/${name}`;
};
/** A test that passes and writes its process down. */
const noting = (name, more = '') =>
  write(
    name,
    `import { appendFileSync } from 'node:fs';
    ${more}
    test('a', () => appendFileSync(${JSON.stringify(inRoot(folder, 'notes'))}, process.pid + ' '));`,
  );
const processes = () => readFileSync(inRoot(folder, 'notes'), 'utf8').trim().split(' ');

beforeAll(() => mkdirSync(inRoot(folder), { recursive: true }));
afterAll(() => rmSync(inRoot(folder), { recursive: true, force: true }));

describe('files that share a process', () => {
  test('are of one environment, and not more than asked for (R22)', () => {
    const files = ['a', 'b', 'c'].map((name) => noting(`${name}.test.ts`));
    const envOf = (file) => ({ DATABASE: file.includes('b.test') ? 'one' : 'two' });
    expect(groupsOf(files, { most: 2 }).map((group) => group.files)).toEqual([files.slice(0, 2), [files[2]]]);
    expect(groupsOf(files, { most: 3, envOf })).toEqual([
      { env: { DATABASE: 'two' }, files: [files[0], files[2]] },
      { env: { DATABASE: 'one' }, files: [files[1]] },
    ]);
    expect(groupsOf(files, { most: 3, alone: /b\.test/ })).toHaveLength(2);
    expect(groupsOf(files, { most: 1 })).toHaveLength(3);
  });

  test('are of one wing of the integration tests (R22)', () => {
    const [holds, prices, tokens] = ['money/ledger/holds', 'money/prices/drafts', 'admin/tokens/change'].map(
      (name) => `tests/integration/${name}.test.ts`,
    );
    expect(groupsOf([holds, prices, tokens], { most: 9 }).map((group) => group.files)).toEqual([
      [holds, prices],
      [tokens],
    ]);
  });

  test.each([
    "process.env['TZ'] = 'UTC';",
    "delete process.env['TZ'];",
    'globalThis.fetch = fake;',
    "mock.module('node:fs', () => ({}));",
    'process.memoryUsage().rss',
    "import { dice } from '#tests/support/random.ts';",
    'useRealPasswordCost();',
  ])('are none with `%s` (R22)', (line) => {
    expect(needsOwnProcess(line)).toBe(true);
    expect(needsOwnProcess("const { TZ } = process.env; if (process.env['TZ'] === 'UTC') fetch(url);")).toBe(
      false,
    );
  });

  test('run in one process and are counted one by one (R22)', async () => {
    const files = ['d', 'e'].map((name) => noting(`${name}.test.ts`));
    files.push(write('f.test.ts', "test('a', () => expect(1).toBe(2)); test('b', () => {});"));
    rmSync(inRoot(folder, 'notes'), { force: true });
    const result = await runTests(files, { together: 3, timeoutMs: 2000 });
    expect(result).toMatchObject({ code: 1, counts: { passed: 3, failed: 1 }, unsteady: [] });
    expect(new Set(processes()).size).toBe(1);
  });

  test('run alone when their process died; the file that ended it counts (R22)', async () => {
    const files = [
      noting('g.test.ts'),
      write('h.test.ts', "test('a', () => process.kill(process.pid, 'SIGKILL'));"),
    ];
    files.push(noting('i.test.ts'));
    const result = await runTests(files, { together: 3, timeoutMs: 2000, limitSeconds: 20 });
    expect(result).toMatchObject({ code: 1, counts: { passed: 2, failed: 1 }, unsteady: [] });
    expect(result.output).toContain('h.test.ts');
    expect(result.output).not.toContain('i.test.ts (');
  });

  test('are named when one of them ended the process of the others and passes alone (R22)', async () => {
    const mark = JSON.stringify(inRoot(folder, 'died-before'));
    const dying = write(
      'k.test.ts',
      `import { existsSync, writeFileSync } from 'node:fs';
      test('a', () => {
        if (existsSync(${mark})) return;
        writeFileSync(${mark}, '');
        process.kill(process.pid, 'SIGKILL');
      });`,
    );
    const result = await runTests([noting('j.test.ts'), dying], { together: 2, timeoutMs: 2000 });
    expect(result).toMatchObject({ code: 0, counts: { passed: 2, failed: 0 } });
    expect(result.unsteady).toMatchObject([{ file: expect.stringContaining(dying) }]);
  });
});

test('places are given in the order of asking, and work that takes all of them runs alone (R22)', async () => {
  const places = createPlaces(2);
  const running = new Set();
  const seen = [];
  const work = (name) => async () => {
    running.add(name);
    seen.push([...running].join('+'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    running.delete(name);
    return name;
  };
  const done = await Promise.all([
    places.use(1, work('a')),
    places.use(1, work('b')),
    places.use(Infinity, work('alone')),
    places.use(1, work('c')),
  ]);
  expect(done).toEqual(['a', 'b', 'alone', 'c']);
  expect(seen).toEqual(['a', 'a+b', 'alone', 'c']);
});
