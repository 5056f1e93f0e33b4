import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInstalled, missingFolders } from './install.mjs';
import { inRoot } from './project.mjs';

const lock = {
  packages: {
    '': { name: 'tollgate' },
    'node_modules/served': { version: '1.0.0' },
    'node_modules/tested': { version: '2.0.0', dev: true },
    'node_modules/other-platform': { version: '3.0.0', optional: true },
  },
};
const having = (...names) => ({
  packages: Object.fromEntries(
    names.map((name) => [`node_modules/${name}`, lock.packages[`node_modules/${name}`]]),
  ),
});

describe('isInstalled', () => {
  test('nothing installed is not enough', () => {
    expect(isInstalled(lock, undefined, { dev: false })).toBe(false);
  });

  test('an install without development packages serves but does not test', () => {
    expect(isInstalled(lock, having('served'), { dev: false })).toBe(true);
    expect(isInstalled(lock, having('served'), { dev: true })).toBe(false);
  });

  test('a full install satisfies both, whatever the platform left out', () => {
    expect(isInstalled(lock, having('served', 'tested'), { dev: true })).toBe(true);
    expect(isInstalled(lock, having('served', 'tested'), { dev: false })).toBe(true);
  });

  test('another version is stale', () => {
    const installed = { packages: { 'node_modules/served': { version: '1.0.1' } } };
    expect(isInstalled(lock, installed, { dev: false })).toBe(false);
  });
});

test('every command of package.json installs what it needs (N44)', () => {
  const { scripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const careless = Object.values(scripts).filter((command) => {
    const [, file] = /^node (scripts\/[\w-]+\.mjs)( |$)/.exec(command) ?? [];
    return file === undefined || !readFileSync(inRoot(file), 'utf8').includes('await ensureInstalled({ dev');
  });
  expect(careless).toEqual([]);
});

// A checkout with our scripts and small packages of its own: npm really installs, without a registry.
describe('in one checkout', () => {
  const timeoutMs = 120_000;
  const names = ['bun', 'first', 'second', 'third', 'fourth'];
  const developing = 'tested';
  let checkout = '';
  const at = (...parts) => path.join(checkout, ...parts);
  const program = `import { ensureInstalled, main } from './scripts/install.mjs';
    await main(() => ensureInstalled({ dev: false }));`;

  function run(command, args, onSpawn = () => {}) {
    const child = spawn(command, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const written = { output: '', error: '' };
    child.stdout.on('data', (part) => (written.output += part));
    child.stderr.on('data', (part) => (written.error += part));
    onSpawn(child);
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...written })));
  }
  const start = (onSpawn) => run('node', ['--input-type=module', '-e', program], onSpawn);
  const packageFile = (name) => at('node_modules', name, 'package.json');
  const isWhole = () =>
    missingFolders(JSON.parse(readFileSync(at('node_modules', '.package-lock.json'), 'utf8')), checkout)
      .length === 0 && names.every((name) => existsSync(packageFile(name)));

  beforeAll(async () => {
    checkout = mkdtempSync(path.join(tmpdir(), 'tollgate-install-'));
    mkdirSync(at('scripts'));
    const copied = ['bench.mjs', 'install.mjs', 'lock.mjs', 'project.mjs', 'server.mjs', 'source-hash.mjs'];
    for (const name of [...copied, 'runtime.json'])
      copyFileSync(inRoot('scripts', name), at('scripts', name));
    for (const name of [...names, developing]) {
      mkdirSync(at('packed', name, 'bin'), { recursive: true });
      writeFileSync(at('packed', name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
      // A program of the size of a runtime, so that it does not count as the stub of one; it says how it was called, and builds a server
      // that is empty.
      const build = 'case "$1" in *bundle-server.ts) mkdir -p "$2" && touch "$2/main.js"; exit;; esac';
      const runtime = `#!/bin/sh\n${build}\necho "$@"; exit\n${'#'.repeat(1_100_000)}`;
      writeFileSync(at('packed', name, 'bin', 'bun.exe'), name === 'bun' ? runtime : '', { mode: 0o755 });
    }
    const folders = [...names, developing].map((name) => `./packed/${name}`);
    const packed = await run('npm', ['pack', '--silent', ...folders]);
    expect(packed.code, packed.error).toBe(0);
    const tarball = (name) => [name, `file:${name}-1.0.0.tgz`];
    const dependencies = Object.fromEntries(names.map(tarball));
    const devDependencies = Object.fromEntries([tarball(developing)]);
    const project = { name: 'checkout', version: '1.0.0', dependencies, devDependencies };
    writeFileSync(at('package.json'), JSON.stringify(project));
    const locked = await run('npm', ['install', '--package-lock-only', '--offline', '--no-audit']);
    expect(locked.code, locked.error).toBe(0);
  }, timeoutMs);
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  test(
    'installs that begin together wait for each other, and one of them installs (N39)',
    async () => {
      const results = await Promise.all([start(), start(), start()]);
      expect(results.map(({ code, error }) => [code, error])).toEqual(results.map(() => [0, '']));
      expect(results.filter(({ output }) => output.includes('dependencies installed'))).toHaveLength(1);
      expect(results.filter(({ output }) => output.includes('waiting'))).toHaveLength(2);
      expect(isWhole()).toBe(true);
      expect(existsSync(at('.install.lock'))).toBe(false);
    },
    timeoutMs,
  );

  test(
    'a start sees an install that lacks a package, or has half of one, and mends it (N39)',
    async () => {
      for (const damage of [
        () => rmSync(at('node_modules', 'second'), { recursive: true }),
        () => writeFileSync(packageFile('third'), ''),
      ]) {
        damage();
        expect(isWhole() && readFileSync(packageFile('third'), 'utf8') !== '').toBe(false);
        const { code, output } = await start();
        expect([code, output]).toEqual([0, expect.stringContaining('dependencies installed')]);
        expect(isWhole()).toBe(true);
      }
      expect(await start()).toEqual({ code: 0, output: '', error: '' });
    },
    timeoutMs,
  );

  test(
    'an install whose process was killed is not taken for whole: the next start waits for its npm and installs again (N39)',
    async () => {
      rmSync(at('node_modules'), { recursive: true });
      let child;
      const ended = start((spawned) => (child = spawned));
      const owners = () => {
        try {
          return JSON.parse(readFileSync(at('.install.lock'), 'utf8')).pids;
        } catch {
          return [];
        }
      };
      while (owners().length < 2) await Bun.sleep(2);
      process.kill(child.pid, 'SIGKILL');
      await ended;
      expect(existsSync(at('.install.lock'))).toBe(true);
      const { code, output } = await start();
      expect([code, output]).toEqual([0, expect.stringContaining('was cut short')]);
      expect(isWhole()).toBe(true);
      expect(existsSync(at('.install.lock'))).toBe(false);
    },
    timeoutMs,
  );

  test(
    'the bench installs what it needs after a start, and its standard output has the result alone (N44)',
    async () => {
      expect((await start()).code).toBe(0);
      expect(existsSync(packageFile(developing))).toBe(false);
      const asked = ['--short', '--json'];
      const { code, output, error } = await run('node', ['scripts/bench.mjs', ...asked]);
      expect([code, output]).toEqual([0, `${[at('tests', 'bench', 'main.ts'), ...asked].join(' ')}\n`]);
      expect(error).toContain('installing all dependencies');
      expect(existsSync(packageFile(developing))).toBe(true);
      const help = await run('node', ['scripts/bench.mjs', '--help']);
      expect([help.code, help.output]).toEqual([0, expect.stringContaining('--targets')]);
    },
    timeoutMs,
  );
});
