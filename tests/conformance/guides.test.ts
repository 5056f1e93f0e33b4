// Guides for developers, followed word by word on a copy of the project: what a guide says to put into a file is put there, and the
// tests that it names pass.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

setDefaultTimeout(240_000);

const root = path.join(import.meta.dir, '..', '..');
const copies: string[] = [];
afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true, force: true })));

/** A copy of the project's own files; packages are shared, but not their cache. */
function copyProject(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'tollgate-guide-'));
  copies.push(copy);
  const listed = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  for (const file of listed.stdout.toString().split('\0').filter(Boolean)) {
    mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(copy, file));
  }
  mkdirSync(path.join(copy, 'node_modules'));
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '.cache')
      symlinkSync(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
  return copy;
}

interface Step {
  /** `run`, or where the code belongs: a new file, or a file, and the beginning of its only line before or after which it stands. */
  where: string;
  code: string;
}

const stepsOf = (guide: string): Step[] =>
  [...guide.matchAll(/^ *<!-- follow: (.+) -->\s*```[^\n]*\n([\s\S]*?)^ *```$/gm)].map(
    ([, where = '', code = '']) => ({
      where,
      code: withoutIndentation(code),
    }),
  );

/** A block inside a list is indented as a whole. */
function withoutIndentation(code: string): string {
  const depths = [...code.matchAll(/^( *)\S/gm)].map(([, spaces = '']) => spaces.length);
  return code.replaceAll(new RegExp(`^ {${Math.min(...depths)}}`, 'gm'), '');
}

function put(copy: string, { where, code }: Step): void {
  const [, created] = /^(\S+) new$/.exec(where) ?? [];
  if (created !== undefined) return writeFileSync(path.join(copy, created), code);
  const [, file = '', side, beginning = ''] = /^(\S+) (before|after) "(.+)"$/.exec(where) ?? [];
  const lines = readFileSync(path.join(copy, file), 'utf8').split('\n');
  const found = lines.flatMap((line, index) => (line.trim().startsWith(beginning) ? [index] : []));
  expect([where, found.length]).toEqual([where, 1]);
  const at = (found[0] ?? 0) + (side === 'after' ? 1 : 0);
  const indentation = (line = '') => /^ */.exec(line)?.[0] ?? '';
  const [deepest = ''] = [lines[at - 1], lines[at]].map(indentation).toSorted().toReversed();
  lines.splice(
    at,
    0,
    ...code
      .trimEnd()
      .split('\n')
      .map((line) => deepest + line),
  );
  writeFileSync(path.join(copy, file), lines.join('\n'));
}

function runIn(copy: string, code: string): void {
  const bun = path.join(root, 'node_modules', '.bin', 'bun');
  const script = code.replaceAll(/\bnpx bun test/g, `"${bun}" test --timeout 60000`);
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-ec', script], { cwd: copy, env: process.env });
  expect([
    exitCode,
    exitCode === 0
      ? ''
      : stderr
          .toString()
          .split('\n')
          .filter((line) => /^\(fail\)|^error/.test(line)),
  ]).toEqual([0, '']);
}

test.each([
  ['add-a-provider', 8],
  ['add-a-migration', 5],
  ['add-a-setting', 5],
  ['add-an-endpoint', 8],
  ['add-a-job', 7],
])('%s.md: following it ends green (N31)', (name, count) => {
  const copy = copyProject();
  const steps = stepsOf(readFileSync(path.join(root, `docs/guides/${name}.md`), 'utf8'));
  expect(steps.length).toBe(count);
  for (const step of steps) {
    if (step.where === 'run') runIn(copy, step.code);
    else put(copy, step);
  }
});
