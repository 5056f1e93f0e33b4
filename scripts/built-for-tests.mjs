// Builds what processes of tests start from instead of the sources (scripts/bundle-server.ts), into a folder of this run, because
// sources may change while another one starts processes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bun, inRoot, run } from './project.mjs';
import { buildServer } from './server.mjs';

/** Resolves with {env, remove}: variables for the tests. `server`: also the whole server, not only the threads of its store. */
export async function buildForTests({ server = false } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-built-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { code, output } = await run(bun, [inRoot('scripts', 'bundle-server.ts'), folder, 'threads']);
    if (code !== 0) throw new Error(output);
    const env = { THREADS_FOR_TESTS: folder };
    return { env: server ? { ...env, SERVER_FOR_TESTS: await buildServer(folder) } : env, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
