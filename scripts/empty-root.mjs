// Starts the executable in a root directory that has nothing but the C library, as on a bare Debian, and asks it for the console
// and a database.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run, say } from './project.mjs';

const patienceMs = 60_000;

export async function checkInEmptyRoot(executable) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    say('skipped: an empty root needs Linux and root');
    return;
  }
  const root = mkdtempSync(path.join(tmpdir(), 'tollgate-root-'));
  try {
    for (const folder of ['tmp', 'data', 'proc', 'dev', 'etc']) mkdirSync(path.join(root, folder));
    copyFileSync(executable, path.join(root, 'tollgate'));
    const { output } = await run('ldd', [executable], {});
    for (const [, library] of output.matchAll(/(\/\S+\.so\S*)/g)) {
      mkdirSync(path.join(root, path.dirname(library)), { recursive: true });
      copyFileSync(library, path.join(root, library));
    }
    await serveIn(root);
    say('the executable serves in an empty root');
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function serveIn(root) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const env = { PATH: process.env.PATH, DATA_DIR: '/data', PORT: String(port), HOST: '127.0.0.1' };
  // Devices and /proc as every Linux has them; the mounts end with the process.
  const script =
    'mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && exec chroot "$1" /tollgate start';
  const args = ['--mount', 'sh', '-c', script, 'sh', root];
  const child = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  child.stderr.on('data', (part) => (output += part));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const deadline = Date.now() + patienceMs;
    while (!output.includes('ready at')) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`the executable did not start:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const [address, expected] of [
      ['/readyz', '"ready"'],
      ['/', '<div id="root">'],
      ['/api/status', '"version"'],
    ]) {
      const answer = await (await fetch(`http://127.0.0.1:${port}${address}`)).text();
      if (!answer.includes(expected)) throw new Error(`${address} answered ${answer.slice(0, 300)}`);
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
