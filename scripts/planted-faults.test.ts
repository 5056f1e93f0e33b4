// Plants mistakes into a copy of the sources and expects `npm run check` to report them.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cpSync,
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

const root = path.join(import.meta.dir, '..');
// Both tools read many files, which is slow on a busy machine.
const timeoutMs = 120_000;
const copied = ['contract', 'server', 'web', 'package.json', 'oxlint.config.ts', 'tsconfig.base.json'];

/** Only the files that the planted mistakes concern, so that the compiler reads little. */
const smallProject = {
  extends: './tsconfig.base.json',
  compilerOptions: { composite: false, lib: ['ESNext', 'DOM'], types: ['bun-types'] },
  include: ['contract', 'server/platform/settings', 'server/admin/tokens', 'web/i18n/messages'],
};

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'tollgate-planted-'));
  for (const name of copied) cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  // Packages are shared, but not the compiler's cache, which belongs to the real sources.
  mkdirSync(path.join(copy, 'node_modules'));
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    if (name !== '.cache')
      symlinkSync(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const plant = (file: string, text: string) => writeFileSync(path.join(copy, file), text);

function edit(file: string, pattern: RegExp): void {
  const before = readFileSync(path.join(root, file), 'utf8');
  const after = before.replace(pattern, '');
  expect(after, `${file} has nothing like ${pattern.source}`).not.toBe(before);
  plant(file, after);
}

function run(tool: string, ...args: string[]): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, '--bun', path.join(root, 'node_modules', '.bin', tool), ...args],
    { cwd: copy },
  );
  return { exitCode, output: stdout.toString() + stderr.toString() };
}

test(
  'lint refuses an import cycle, also one of types only',
  () => {
    const cycles = {
      'web/ui/planted-a.ts': "export { b as a } from '#web/ui/planted-b.ts';\n",
      'web/ui/planted-b.ts': "export { a as b } from './planted-a.ts';\n",
      'server/admin/http/planted-a.ts': "import type { B } from './planted-b.ts';\nexport type A = B[];\n",
      'server/admin/http/planted-b.ts':
        "import type { A } from '#server/admin/http/planted-a.ts';\nexport type B = A[];\n",
    };
    const planted = Object.keys(cycles);
    for (const [file, text] of Object.entries(cycles)) plant(file, text);
    const { exitCode, output } = run('oxlint', '--format=unix', ...planted);
    expect(exitCode).not.toBe(0);
    const refused = output.split('\n').filter((line) => line.includes('no-cycle'));
    for (const file of planted)
      expect(
        refused.some((line) => line.includes(file)),
        file,
      ).toBe(true);
    for (const file of planted) rmSync(path.join(copy, file));
  },
  timeoutMs,
);

test(
  'lint refuses an import across a boundary',
  () => {
    const violations = {
      'contract/planted.ts': '#server/platform/env.ts',
      'server/admin/tokens/planted.ts': '#server/admin/users/index.ts',
      'server/admin/http/planted.ts': '../context.ts',
      'server/platform/store/planted.ts': '#server/admin/http/mount.ts',
      'web/ui/planted.ts': '#web/api.ts',
    };
    const planted = Object.keys(violations);
    for (const [file, target] of Object.entries(violations)) plant(file, `export * from '${target}';\n`);
    const { exitCode, output } = run('oxlint', '--format=unix', ...planted);
    expect(exitCode).not.toBe(0);
    const refused = output.split('\n').filter((line) => line.includes('no-restricted-imports'));
    for (const file of planted)
      expect(
        refused.some((line) => line.includes(file)),
        file,
      ).toBe(true);
  },
  timeoutMs,
);

test(
  'the compiler refuses a missing handler, a missing translation and a setting that is not listed',
  () => {
    edit('server/admin/tokens/index.ts', /^ *restore: .*\n/m);
    edit('web/i18n/messages/ui.ts', /, '[^']*'(?=\],\n)/m);
    plant('small.json', JSON.stringify(smallProject));
    plant(
      'server/platform/settings/planted.ts',
      "import type { Settings } from '#contract/settings.ts';\nexport const read = (settings: Settings) => settings.NobodyListedThis;\n",
    );
    const { exitCode, output } = run('tsc', '-p', 'small.json', '--pretty', 'false');
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/^server\/admin\/tokens\/index\.ts.*restore/m);
    expect(output).toMatch(/^web\/i18n\/messages\/ui\.ts/m);
    expect(output).toMatch(/^server\/platform\/settings\/planted\.ts.*NobodyListedThis/m);
  },
  timeoutMs,
);
