// The executable has every thread that the server starts: one that is missing is noticed only when it is needed.
import { expect, test } from 'bun:test';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { threads } from './executable.mjs';
import { inRoot } from './project.mjs';

test('the executable has the file of every thread', () => {
  const files = readdirSync(inRoot('server'), { recursive: true })
    .map((name) => path.posix.join('server', String(name)))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const started = files.flatMap((name) =>
    Array.from(
      readFileSync(inRoot(name), 'utf8').matchAll(/new URL\('(.+\.ts)', import\.meta\.url\)/g),
      ([, file]) => path.posix.join(path.posix.dirname(name), file),
    ),
  );
  expect(started.length).toBeGreaterThan(4);
  expect(started.toSorted()).toEqual(Object.values(threads).toSorted());
  for (const [name, file] of Object.entries(threads)) expect(path.basename(file, '.ts')).toBe(name);
});
