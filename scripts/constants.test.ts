// One style of constants: a number, text or pattern that is fixed at the top of a module has a name in capitals.
import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/** Tests name what they make as they like; migrations stay as they ran. */
const isSource = (file: string): boolean =>
  !/\.test\.tsx?$/.test(file) && !file.startsWith('server/platform/store/migrations/');
const FIXED =
  /^(?:export )?const ([a-z]\w*)(?:: (?:number|string|RegExp))? = (?:-?\d[\d_.*+\-/ ]*|'[^']*'|\/[^/*].*\/[a-z]*);$/gm;

const smallNamesIn = (text: string): string[] => [...text.matchAll(FIXED)].map(([, name]) => name ?? '');

test('fixed values are named in capitals', () => {
  const folders = ['contract', 'demo', 'mock', 'server', 'web'].flatMap((name) => [
    `${name}/*.ts`,
    `${name}/*.tsx`,
  ]);
  const files = execFileSync('git', ['ls-files', '-z', ...folders], { cwd: ROOT })
    .toString()
    .split('\0');
  const found = files
    .filter((file) => file !== '' && isSource(file))
    .flatMap((file) =>
      smallNamesIn(readFileSync(`${ROOT}/${file}`, 'utf8')).map((name) => `${file}: ${name}`),
    );
  expect(found).toEqual([]);
});

test('a small name is found, whatever kind of value it has', () => {
  const text = [
    'const most = 12;',
    "export const kind: string = 'task';",
    'const shape = /^a+$/i;',
    'const LIMIT = 5;',
    'const read = () => 5;',
    'const daySeconds = 24 * 3600;',
  ].join('\n');
  expect(smallNamesIn(text)).toEqual(['most', 'kind', 'shape', 'daySeconds']);
});
