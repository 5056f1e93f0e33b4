// One PostgreSQL for a whole test run; it ends with stop() or with this process.
import { spawn } from 'node:child_process';
import { bun, bunEnvironment, inRoot, root } from './project.mjs';

/** Resolves with {url, stop} when the server accepts connections. */
export async function startPostgres() {
  const child = spawn(bun, [inRoot('tests', 'run-postgres.ts')], {
    cwd: root,
    env: bunEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (complaint += chunk));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line) => resolve(line.trim()));
    child.once('exit', () => reject(new Error(`PostgreSQL for the tests did not start:\n${complaint}`)));
  });
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  return { url, stop };
}
