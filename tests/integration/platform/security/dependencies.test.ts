// Each package is locked by its hash; a changed package is not installed, and its install script does not run.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';

setDefaultTimeout(60_000);

const root = path.join(import.meta.dir, '../../../..');

interface Locked {
  integrity?: string;
  link?: boolean;
}

async function run(command: string[], cwd: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [output, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: output + problems };
}

test('every installed package is locked by its hash', () => {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const installed = Object.entries(packages).filter(
    ([name, { link }]) => name !== '' && link !== true && existsSync(path.join(root, name)),
  );
  expect(installed.length).toBeGreaterThan(100);
  const unlocked = installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==/.test(integrity));
  expect(unlocked.map(([name]) => name)).toEqual([]);
});

test('a package that was changed after it was locked is not installed, and no install script runs', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-lock-'));
  try {
    const project = path.join(folder, 'project');
    const source = path.join(folder, 'package');
    await Bun.write(
      path.join(source, 'package.json'),
      JSON.stringify({ name: 'locked', version: '1.0.0', scripts: { postinstall: 'touch ../../ran' } }),
    );
    const pack = () => run(['tar', '-czf', path.join(project, 'locked.tgz'), 'package'], folder);
    await Bun.write(
      path.join(project, 'package.json'),
      JSON.stringify({ name: 'project', version: '1.0.0', dependencies: { locked: 'file:locked.tgz' } }),
    );
    expect((await pack()).code).toBe(0);
    const npm = (...args: string[]) =>
      run(
        [
          'npm',
          ...args,
          '--offline',
          '--ignore-scripts',
          '--no-audit',
          '--cache',
          path.join(folder, 'cache'),
        ],
        project,
      );
    expect((await npm('install')).code).toBe(0);
    const lock = readFileSync(path.join(project, 'package-lock.json'), 'utf8');
    expect(lock).toContain('"integrity": "sha512-');
    expect((await npm('ci')).code).toBe(0);

    writeFileSync(path.join(source, 'index.js'), 'console.log("changed")');
    expect((await pack()).code).toBe(0);
    rmSync(path.join(folder, 'cache'), { recursive: true, force: true });
    const refused = await npm('ci');
    expect(refused.code).not.toBe(0);
    expect(refused.output).toContain('EINTEGRITY');
    expect(existsSync(path.join(project, 'ran'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
