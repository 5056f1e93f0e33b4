// One style of constants: a number, text or pattern that is fixed at the top of a module has a name in capitals.
import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/** Tests name what they make as they like; migrations stay as they ran. */
const isSource = (file: string): boolean =>
  !/\.test\.\w+$|^tests\/|^server\/platform\/store\/migrations\//.test(file);
const FIXED =
  /^(?:export )?const ([a-z]\w*)(?:: (?:number|string|RegExp))? = (?:-?\d[\d_.*+\-/ ]*|'[^']*'|\/[^/*].*\/[a-z]*);$/gm;

const smallNamesIn = (text: string): string[] => [...text.matchAll(FIXED)].map(([, name]) => name ?? '');

const FOLDERS = ['contract', 'demo', 'mock', 'packages', 'scripts', 'server', 'web', '*.ts'];
const sources = execFileSync('git', ['ls-files', '-z', ...FOLDERS], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && isSource(file))
  .map((file) => ({ file, text: readFileSync(`${ROOT}/${file}`, 'utf8') }));

test('fixed values are named in capitals', () => {
  const found = sources.flatMap(({ file, text }) => smallNamesIn(text).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

/** What has one place, and the place. */
const ONCE = [
  [/const \w*?(DAY|HOUR|MINUTE)(_SECONDS)? = (60|3_?600|86_?400|24 \* 3600);/, 'contract/time.ts'],
  [/Math\.floor\(Date\.now\(\) \/ 1000\)/, 'contract/time.ts'],
  [/pg_advisory_xact_lock/, 'server/platform/store/locks.ts'],
  [/dialect === 'postgres' \? \w+\.for\w*Update\(\)/, 'server/platform/store/locks.ts'],
] as const;

test('units of time, the clock and locks by dialect are in one place each (R10)', () => {
  for (const [pattern, place] of ONCE)
    expect(sources.flatMap(({ file, text }) => (pattern.test(text) ? [file] : []))).toEqual([place]);
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
