// The one-file executable, started as a service manager does: without the scripts that set the runtime up.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable, ownPlatform } from '../../../scripts/executable.mjs';
import { runtime } from '../../../scripts/project.mjs';

setDefaultTimeout(60_000);

let folder;
let executable;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-executable-'));
  executable = await buildExecutable(ownPlatform, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Resolves with the environment of the process that answers under the id that was started. */
async function startedWith(environment) {
  const child = Bun.spawn([executable, 'start'], {
    env: { DATA_DIR: mkdtempSync(join(folder, 'data-')), HOST: '127.0.0.1', PORT: '0', ...environment },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  try {
    let said = '';
    const decoder = new TextDecoder();
    for await (const part of child.stdout) {
      said += decoder.decode(part, { stream: true });
      if (said.includes('ready at')) break;
    }
    expect(said).toContain('ready at');
    const lines = readFileSync(`/proc/${child.pid}/environ`, 'utf8').split('\0').filter(Boolean);
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

test.skipIf(process.platform !== 'linux')('sets the runtime up by itself, in the same process', async () => {
  expect(await startedWith({})).toMatchObject(runtime);
});

test.skipIf(process.platform !== 'linux')('leaves a setting of the operator as it is', async () => {
  const own = { BUN_GC_TIMER_INTERVAL: '20000' };
  expect(await startedWith(own)).toMatchObject({ ...runtime, ...own });
});
