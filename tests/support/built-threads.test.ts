import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WRITER_ENTRY } from '#server/app/writer-entry.ts';
import { builtThreads } from './built-threads.ts';

test('the threads that the runner builds are those that the store starts (R22)', () => {
  const sources = [...builtThreads('/anywhere').keys()];
  expect(sources).toContain(WRITER_ENTRY.href);
  for (const source of sources) expect(existsSync(fileURLToPath(source))).toBe(true);
});

test('a thread begins with the file that was built instead of its source (R22)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'built-threads-'));
  writeFileSync(join(folder, 'writer.js'), "postMessage('built');");
  const script = `
    await import(${JSON.stringify(join(import.meta.dir, 'built-threads.ts'))});
    const worker = new Worker(${JSON.stringify(WRITER_ENTRY.href)});
    worker.addEventListener('message', ({ data }) => { console.log(data); worker.terminate(); });`;
  const env = { ...process.env, THREADS_FOR_TESTS: folder };
  const child = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe', stderr: 'inherit' });
  expect(await new Response(child.stdout).text()).toBe('built\n');
  rmSync(folder, { recursive: true });
});
