import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bun, inRoot, run } from './project.mjs';
import { buildServer, ensureServer } from './server.mjs';
import { sourceHash } from './source-hash.mjs';

const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

test('the built server is the server, and is not built again from the same sources', async () => {
  const entry = await ensureServer();
  const builtAt = statSync(entry).mtimeMs;
  expect(await ensureServer()).toBe(entry);
  expect(statSync(entry).mtimeMs).toBe(builtAt);
  const { code, output } = await run(bun, [entry, '--version'], {});
  expect([code, output.trim()]).toEqual([0, version]);
}, 60_000);

test('each file of the build has a map to the sources', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-server-'));
  try {
    await buildServer(folder);
    const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) {
      expect(readFileSync(path.join(folder, name), 'utf8')).toContain(`sourceMappingURL=${name}.map`);
      expect(statSync(path.join(folder, `${name}.map`)).size).toBeGreaterThan(0);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test('the hash of sources changes with a text, a name and a further file, and not with a test', () => {
  // Under the root, because sources are named from there.
  const folder = mkdtempSync(inRoot('node_modules', '.hash-'));
  const name = path.relative(inRoot(), folder);
  const write = (file, text) => writeFileSync(path.join(folder, file), text);
  try {
    write('a.ts', '1');
    const first = sourceHash([name]);
    expect(sourceHash([name])).toBe(first);
    write('a.test.ts', '1');
    expect(sourceHash([name])).toBe(first);
    write('b.ts', '');
    const second = sourceHash([name]);
    write('a.ts', '2');
    expect(new Set([first, second, sourceHash([name])]).size).toBe(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
